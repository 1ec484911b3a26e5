"""English word lists: closed classes, and the verbs and nouns by which sentences about work are built. Data only.

These are classes of words, not phrases that somebody said: a list holds what English offers for a purpose (verbs of
deciding,
nouns for places where information is kept), so that a sentence on a topic nobody thought of is read the same way.
"""

from __future__ import annotations

import re


def word_list(block: str) -> list[str]:
    """The words of a list written over several lines."""
    return block.split()


def _one_line(block: str) -> str:
    """A pattern written over several lines."""
    return re.sub(r"\n\s*", "", block)


MONTHS = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
TONGUES = _one_line(r"""(?:English|Spanish|Turkish|Japanese|Chinese|Mandarin|Korean|German|French|Italian|Portuguese|
 Dutch|Polish|Russian|Ukrainian|Arabic|Hebrew|Hindi|
 Bengali|Urdu|Tamil|Vietnamese|Thai|Indonesian|Swahili|Greek|Swedish|Norwegian|Danish|Finnish|Czech|Hungarian|
 Romanian|Persian|Farsi|Catalan)""")
EDITORS = _one_line(r"""(?:VS Code|Visual Studio|VSCode|Neovim|Vim|Emacs|Helix|Sublime|JetBrains|IntelliJ|PyCharm|
 WebStorm|Zed|Cursor|Xcode|Kakoune|NixOS|Fedora|
 Ubuntu|Debian|Arch|Windows|Linux|MacOS|macOS|Mac|FreeBSD|WSL|Fish|Zsh|Bash|PowerShell|Tmux|tmux|neovim|vim|emacs|
 nushell|Dvorak|Colemak|iTerm|Kitty|
 Alacritty|WezTerm|Wayland|GNOME|KDE)""")

# Verbs that begin an order for one piece of work, in their base form.
TASK_VERBS = word_list("""
abort add adjust amend analyse analyze apply archive arrange assign attach backport build bump cancel change check
clean clear clone close
collect combine comment commit compare compile compute configure connect continue convert copy correct count create
cut debug delete
deploy design disable display do double-check download draft drop dump duplicate edit enable enlarge estimate evaluate
examine execute
expand explain explore export extend extract fetch figure fill find finish fix format generate get give go grab grep
group guess handle
hard-code hide hook implement import improve increase inline insert inspect install integrate introduce invert
investigate investigate join
kick kill let link list load look lower make measure merge migrate mock modify monitor move open optimise optimize
order outline paste patch
pick ping plot port prepare print profile proceed produce prune publish pull purge push query raise read rebase
rebuild recheck record
redo reduce refactor reformat refresh regenerate register release remove rename render reorder repair repeat replace
reply report
reproduce rerun reset resolve restart restore resume retry return revert review rewrite roll rollback rotate run save
scan schedule search
select send separate set setup shift ship show shorten shrink simplify skim skip sketch solve sort split squash stage
start stash stop
stub submit suggest summarise summarize swap switch sync tag take tell test tidy toggle touch trace translate trigger
trim try tune turn
undo uninstall unpack update upgrade upload validate verify wait walk warn watch wire wrap write zip
""")

# Verbs that begin a rule at least as often as a task: how something is to be done.
RULE_VERBS = word_list("""
address aim allow annotate answer approach ask assume attach avoid ban base batch be bear begin call capitalise
capitalize check choose
cite cluster code confirm consider contact count default defer describe discuss document end ensure escalate exclude
expect explain
express fail favor favour file follow format forget give go group guard handle hold ignore include indent insist keep
label lead leave
let limit link list log look mark mention mind name never note notify number obey offer omit order pass phrase pick
pin place
prefer prefix present proceed propose provide put quote raise refer reject remember remind repeat reply report request
require reserve respect respond
return reuse route say send separate ship show sign sort speak specify spell start state stay stick store structure
stop suggest suffix tag talk
target tell treat trust try turn use validate verify wait warn wrap write
""")

# Words that are verbs in the base form at the head of an order, but nouns at least as often: they need an object to
# be a verb.
NOUN_OR_VERB = frozenset(word_list("""
address aim answer approach archive build call change check code commit count cut default deploy design document dump
end export
file fix format group guess handle hold hook import index input label lead limit link list load log look mark measure
merge mind mock move name
note number offer open order patch pick pin ping place plan plot port prefix print profile pull push query quote raise
read record
release render repeat reply report request reset result return review root route run save scan schedule search set
setup shift ship show sign
sort split stage start state store structure suffix support switch tag talk target test touch trace translate trigger
trust try turn type
update upgrade upload use validate view wait walk watch wrap code review staging design feature issue ticket
"""))

DETERMINERS = frozenset(word_list(
    "a an the this that these those my your our his her its their some any every each all no both another such"))

PAST_IRREGULAR = frozenset(word_list("""
became began bit blew bought broke brought built burned burnt burst came caught chose cost crept cut did died drew
drove ate fell felt
found fought flew forgot froze gave got grew had hid hit held hurt kept knew lay led left lost made meant met paid put
ran rang read
rose said sat saw sent set shook shot showed shut slept slid slipped sold spent spoke stole stood stuck swore swept
swam taught told took
thought threw understood went were won wore wrote was
"""))

# Things that go wrong: what a lesson begins with.
HARM = _one_line(r"""(?:br(?:oke|eaks?|oken)|died|fail(?:ed|s|ing|ures?)?|crash(?:ed|es)?|los(?:t|es|ing)|burn(?:ed|t)|
 bit (?:us|me)|bitten|hid(?:den)?|miss(?:ed|ing)|wast(?:ed|ing)|
 (?:went|turned|goes?|going) (?:\w+ )?(?:red|down|wrong|unseen|unnoticed|missing|stale|bad|twice|dark|silent)|(?:was|
 were|is|are) (?:all )?(?:gone|down|lost|wiped|corrupt(?:ed)?|rejected|refused|wrong|useless|empty|late|hacked)|
 (?:took|brought|knocked) \S+(?: \S+)? (?:down|out|offline)|wip(?:ed|es)|corrupt(?:ed|s)|delet(?:ed|es)|drop(?:ped|s)|
 dropping|overwr(?:ote|ites|itten)|
 outages?|incidents?|regress(?:ed|ions?(?! tests?))|revert(?:ed)?|roll(?:ed)? (?:\S+ )?back|chok(?:ed|es?)|
 explod(?:ed|es)|
 blew up|blows? up|leak(?:ed|s)|deadlock(?:ed|s)?|flak(?:y|ed)|nightmares?|mess(?:ed)?|
 pain(?:ful)?|slow(?:er|ed)|stuck|blocked|stall(?:ed|s)|hang(?:s|ed)?|hung|couldn't|could not|can't|cannot|(?:nobody|
 no one) (?:could|can|noticed|knew|told|saw|asked|pinned|checked|remembered|reads?|thought|wrote|looked)|
 buried|confus(?:ed|ing)|sat (?:for|there|in|on)|fell over|time(?:d|s) out|got (?:lost|burned|burnt|bitten|hit|
 rejected|refused|throttled|banned|fined|stuck|surprised|blocked|double\w*|mixed|billed)|tripp(?:ed)|chas(?:ed|ing)|
 grepping|
 improvis(?:ed)|mistake|by mistake|accident(?:ally)?|silently|wrong(?:ly)?|in vain|for nothing|suffer(?:ed|s)|
 complain(?:ed|s|ts?)|doubled?|tripled|spiked|(?:twice|three|third|second|several|four|five|fourth|
 again and again)(?: \w+)? times?|
 came back|never made it|didn't make it|doesn't notice|unusable|unreadable|unreproducible|damaged?|penalt(?:y|ies)|
 fined|sued|rejected|refuse[ds]|throttl(?:ed|es)|drift(?:ed|s)?|stale|out of (?:memory|sync|date|disk)|ran out|
 through the roof|ruin(?:ed|s)|distracting|annoying|tiring|
 vanish(?:ed|es)|disappear(?:ed|s)|skipped|swallow(?:ed|s)|lock(?:ed|s) (?:the|us|out|up|every)|froze|bounced|
 clobber(?:ed|s)|untangl(?:ed|ing)|exposed|misled|misread|misconfigured|forg(?:ot|otten)|escalated|embarrass\w*|
 tired of|sick of|had to (?:restore|revert|redo|undo|roll|rebuild|re-?run|
 rewrite|explain|apologi[sz]e|wake|restart|clean|repair|fix|throw|debug|dig|search|retype|reinstall|migrate)|(?:spent|
 cost|took|lost|wasted|burned) (?:\w+ ){0,3}(?:hours?|days?|weeks?|evening|morning|afternoon|night|weekend|minutes|
 fortune|money)|
 surprised|puzzled|hunting|searching for|undone|clash(?:ed|es)?|collid(?:ed|es)|conflict(?:ed|s)|mixed up|swamped|
 flooded|paged|woke|(?:too|went out|came|arrived) late|too (?:slow|big|long|many))""")

# Verbs that report a decision, with "we" or in the passive.
DECIDE = _one_line(r"""(?:decided|agreed|confirmed|settled|said (?:no|yes)|turned down|gave the (?:ok|go-ahead|
 green light)|won over|beat|lost to|chose(?:n)?|picked|went (?:with|for|
 back)|opted|concluded|committed to|resolved|voted|approved|signed(?: off)?|ruled out|standardi[sz]ed|
 commit(?:ted)? to|switched|moved|migrat(?:ed|ing)|mov(?:ing)|switch(?:ing)|replac(?:ed|ing)|dropp(?:ed|ing)|ditch(?:ed|ing)|scrapp(?:ed|ing)|
 abandon(?:ed)?|retir(?:ed|ing)|deprecat(?:ed|ing)|phas(?:ed|ing) out|sunset(?:ting)?|
 introduc(?:ed|ing)|adopt(?:ed|ing)|postpon(?:ed|ing)|delay(?:ed)|slipped|rescheduled|brought forward|pushed (?:back|
 out)|extended|shortened|cancell?ed|cut from|cut|frozen|freez(?:e|ing)|
 renegotiated|reorgani[sz]ed|renamed|merged into|split into|scheduled|planned|capped|promised|consolidat(?:ed|ing)|
 roll(?:ing|ed)? out|tak(?:es?|ing) over|hand(?:ed|ing|s) over|inherit(?:ed|s)|shut(?:ting)? down)""")

# Nouns for what belongs to the project as an undertaking: people, time, money, law.
AFFAIRS = _one_line(r"""(?:deadlines?|milestones?|launch(?:es)?|releases?|go-?live|roll-?outs?|freez(?:e|es)|demos?|
 pilots?|betas?|certification|customers?|clients?|
 stakeholders?|vendors?|suppliers?|investors?|board|sla|slo|quarter|sprint|roadmap|scope|backlog|migration|cut-?over|
 deprecat\w+|end of life|eol|outage|incident|post-?mortem|
 root cause|maintenance|review board|marketing|management|privacy|retention|region(?:s)?|tenants?|msrv|window|rota|
 on-?call|headcount|team|sponsors?|patients?|versions? \d+)""")

# Those who may forbid and demand from outside: law, money, treaties. What they say is a fact about the project
# wherever it stands.
AUTHORITY = _one_line(r"""(?:audit(?:s|ors?)?|contract(?:s|ual|ually)?|deal|agreement with|compliance|legal|laws?|
 lawyers?|regulators?|gdpr|hipaa|sox|soc 2|tender|budget(?:s|ed)?|penalt(?:y|ies)|quotas?|licen[cs]es?(?: fee| deal)?|
 works council|finance|accounting|
 security team|data protection|dpo|grants?|funding|leased?|plan (?:allows|covers)|under our plan|insurance|insurer|
 court|the ministry|the customer insists|by law|price|priced|steering committee)""")

# Nouns for places where information is kept, outside the code.
PLACES = _one_line(r"""(?:boards?|dashboards?|trackers?|tickets?|issues|bugs|stories|epics|incidents?|wiki|wikis|
 runbooks?|playbooks?|docs?|documentation|handbook|glossary|specs?|specifications?|
 schematics|designs?|mock-?ups?|wireframes?|brand assets|assets|copy|translations?|strings|channels?|slack|
 mailing list|inbox|calendar|spreadsheets?|sheets?|pages?|spaces?|folders?|shares?|drives?|buckets?|vaults?|
 keychains?|
 credentials?|secrets?|passwords|certificates?|keys|tokens|logs|traces|metrics|alerts?|graphs?|charts?|reports|
 crash(?:es| reports)|errors|monitoring|on-?call schedule|schedules?|roster|rota|
 staging|sandbox|test(?:ing)? environment|environments?|preview|demo system|hosts?|servers?|registry|registries|
 mirror|artifacts?|images|datasets?|recordings|models|archives?|minutes|notes|decisions|adrs?|
 feature requests|requirements|backlog|roadmap|contacts?|phone list|test (?:accounts|data|users)|limits|timeouts|
 settings|tunables|configuration|config|thresholds|feature flags)""")

# Systems that teams commonly keep information in. Knowledge of the world, like the names of months.
SYSTEMS = _one_line(r"""(?:Jira|Confluence|Notion|Linear|Asana|Trello|Monday|ClickUp|Shortcut|YouTrack|Redmine|
 Bugzilla|Phabricator|Gerrit|GitHub|GitLab|Bitbucket|Gitea|Figma|Sketch|Zeplin|Miro|Frontify|
 Lokalise|Crowdin|Transifex|Weblate|Slack|Teams|Discord|Mattermost|Zulip|Grafana|Datadog|Kibana|Prometheus|Honeycomb|
 Sentry|Bugsnag|Rollbar|Splunk|Loki|Jaeger|Tempo|PagerDuty|Opsgenie|Statuspage|
 VictorOps|Graylog|Papertrail|Elastic|OpenSearch|New Relic|CloudWatch|Nextcloud|BookStack|Penpot|Taiga|OpenProject|Vault|1Password|Bitwarden|LastPass|Keycloak|Okta|SSM|KMS|HSM|Artifactory|Nexus|Harbor|SharePoint|OneDrive|
 Dropbox|Drive|Airtable|Coda|Zendesk|Intercom|Salesforce|HubSpot|Productboard|Aha|Backstage|Looker|Tableau|Metabase|
 Superset|Amplitude|Mixpanel|Snowflake|BigQuery|Databricks|S3|GCS|NAS|Outlook|Google Docs|Google Sheets|Doc|Sheets|
 Zotero|Overleaf|TestRail|Postman|
 SwaggerHub|Stoplight|ReadTheDocs|MkDocs|TestFlight|Firebase|LaunchDarkly|Unleash|Optimizely)""")
