"""What credentials look like, as data: which prefix a provider's tokens have and what follows it.

One line a kind: family, prefixes, what follows. A prefix is found first (all of them at once, ``redact``), then what
follows is matched at that place; so a line costs nothing in text that does not hold its prefix. Formats are the
providers' own published ones; where a provider has changed the length over the years, the shortest is the bound.

In a tail, ``W`` stands for letters and digits, ``X`` for lower or upper hex, ``U`` for the base64url alphabet, ``B``
for the base64 one. ``!`` before a prefix: it is so telling that it may stand in the middle of a word.
"""

from __future__ import annotations

# family | prefixes, blank between | tail
_TOKENS = r"""
openai | sk-proj- sk-svcacct- sk-admin- sk-None- | U{20,}
openai | sess- | W{40,}
anthropic | sk-ant- | U{16,}
openrouter | sk-or-v1- | X{32,}
langfuse | sk-lf- pk-lf- | X{8}-X{4}-X{4}-X{4}-X{12}
api_key | sk- | U{18,}
google | AIza | U{30,}
google | GOCSPX- | U{20,}
google | ya29. | U{20,}
google | 1//0 | U{24,}
google | AQ.Ab | U{30,}
github | ghp_ gho_ ghu_ ghs_ ghr_ | [A-Za-z0-9_.-]{30,}
github | !github_pat_ | [A-Za-z0-9_]{22,}
gitlab | glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- | [A-Za-z0-9_.=-]{18,}
gitlab | glsoat- glffct- glwt- | [A-Za-z0-9_.=-]{18,}
gitlab | GR1348941 | U{20}
bitbucket | ATBB | W{24,}
atlassian | ATATT3 ATCTT3 | [A-Za-z0-9_=-]{40,}
atlassian | ATAT ATEG ATCT | [A-Za-z0-9_.=-]{40,}
trello | ATTA | X{64}
aws | !AKIA !ASIA !ABIA !ACCA | [A-Z0-9]{16}(?![A-Za-z0-9])
aws | A3T | [A-Z0-9]{17}(?![A-Za-z0-9])
aws | ABSK bedrock-api-key- | [A-Za-z0-9+/=]{60,}
aws | IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz FQoDYXdz | B{60,}
alibaba | LTAI | W{12,26}
tencent | AKID | W{13,40}
volcengine | AKLT | W{40,60}
baidu | bce-v3/ALTAK- | W{15,}/X{40}
baidu | ALTAK | W{21}
yandex | AQVN | U{35,38}
yandex | y0_ y1_ | U{40,}
yandex | t1. | U{20,}={0,2}\.U{60,}={0,2}
azure | AzureWebJobsStorage= | \S{20,}
azure | AccountKey= accountkey= | B{40,}={0,2}
azure | SharedAccessKey= SharedSecretValue= | B{40,}={0,2}
slack | xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb- | [A-Za-z0-9%._+/=-]{10,}
slack | xapp- xwfp- | [A-Za-z0-9-]{20,}
stripe | sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_org_ | [A-Za-z0-9_]{10,}
stripe | pk_live_ pk_test_ pk_prod_ | [A-Za-z0-9_]{10,}
checkout | sk_ sk_sbox_ | X{8}-X{4}-X{4}-X{4}-X{12}|[a-z0-9]{24,32}(?![A-Za-z0-9_-])
aiven | AVNS_ | U{14,}
aiven | AVNU_ | B{60,}={0,2}
chief_tools | ctp_ | W{36,}
datadog | DDRCM_ | [A-Z0-9]{60,}
devcycle | dvc_server_ dvc_client_ dvc_mobile_ | [0-9a-f_]{36,}
govuk_notify | gcntfy- | [a-z0-9_-]{70,}
block_protocol | b10ck5. | X{32}\.X{8}-X{4}-X{4}-X{4}-X{12}
stripe | whsec_ | B{24,}={0,2}
stripe | !_secret_ | W{20,}
sendgrid | SG. | U{16,}\.U{30,}
brevo | xkeysib- xsmtpsib- | X{64}-W{16}
mailgun | key- pubkey- | X{32}(?![A-Za-z0-9-])
twilio | SK | [0-9a-f]{32}(?![A-Za-z0-9])
resend | re_ | W{8}_W{20,}
npm | npm_ | W{30,}
pypi | pypi-AgE pypi- | U{40,}
crates | cio | W{32}(?![A-Za-z0-9])
rubygems | rubygems_ | X{48}
nuget | oy2 | [a-z0-9]{43}(?![a-z0-9])
clojars | CLOJARS_ | [a-z0-9]{60}
packagist | packagist_uut_ packagist_out_ packagist_ack_ | W{40,}
docker | dckr_pat_ dckr_oat_ | U{20,}
jfrog | AKCp | W{60,}
jfrog | cmVmdGtu | W{50,}
huggingface | hf_ | W{30,}
huggingface | api_org_ | W{30,}
replicate | r8_ | W{30,}
groq | gsk_ | W{40,}
xai | xai- | W{40,}
perplexity | pplx- | W{32,}
fireworks | fw_ | W{20,}
together | tgp_v1_ | U{30,}
cerebras | csk- | W{32,}
nvidia | nvapi- | U{40,}
tavily | tvly- | U{20,}
jina | jina_ | U{40,}
voyage | pa- | U{40,}
pinecone | pcsk_ | [A-Za-z0-9_]{30,}
langsmith | lsv2_pt_ lsv2_sk_ | X{32}_X{10}
wandb | wandb_v1_ | U{40,}
e2b | e2b_ | X{40}
elevenlabs | sk_ | X{48}
firecrawl | fc- | X{32}
modal | ak- as- | W{22}(?![A-Za-z0-9_-])
apify | apify_api_ | W{30,}
vercel | vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_ | [A-Za-z0-9_]{24,}
digitalocean | dop_v1_ doo_v1_ dor_v1_ | X{64}
fly | fo1_ | U{40,}
fly | fm1r_ fm1a_ fm2_ | [A-Za-z0-9+/=_-]{60,}
render | rnd_ | W{28,}
netlify | nfp_ nfc_ nfo_ nfu_ nfb_ | W{36,}
supabase | sbp_ | X{40}
supabase | sb_secret_ | U{20,}
planetscale | pscale_tkn_ pscale_oauth_ pscale_pw_ | [A-Za-z0-9_.=-]{32,}
neon | napi_ | [a-z0-9]{50,}
neon | npg_ | W{12,}
mongodb | mdb_sa_sk_ | U{36,}
cloudflare | v1.0- | X{24}-X{146}
cloudflare | cfut_ cfat_ cfk_ | U{36,}
heroku | HRKU-AA HRKU- | U{36,}
databricks | dapi dkea dose ddbc dsap | X{32}(?:-\d)?(?![A-Za-z0-9])
datadog | ddapp_ ddpat_ | W{30,}
newrelic | NRAK- | [A-Z0-9]{27}
newrelic | NRII- NRIQ- | U{32}
newrelic | NRJS- NRRA- NRBR- NRSP- | X{18,42}
sentry | sntrys_ | [A-Za-z0-9+/=_-]{60,}
sentry | sntryu_ sntrya_ | X{64}
grafana | glc_ | [A-Za-z0-9+/=]{32,}
grafana | glsa_ | W{32}_X{8}
honeycomb | hcaik_ hcbik_ hcxik_ hcalk_ | W{50,}
dynatrace | dt0c01. dt0s01. dt0s02. dt0s16. | [A-Z0-9]{8,24}\.[A-Z0-9]{64}
prefect | pnu_ pnb_ | W{36}
posthog | phx_ phs_ phr_ | W{30,}
sourcegraph | sgp_ slk_ sgd_ | (?:[A-Za-z0-9]{8,16}_)?X{40,64}|W{64}
launchdarkly | sdk- mob- api- | X{8}-X{4}-X{4}-X{4}-X{12}
statsig | secret- | W{40,}
vault | hvs. hvb. hvr. | U{20,}
vault | b.AAAAAQ | U{100,}
terraform | !.atlasv1. | U{40,}
doppler | dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. | W{40,44}
doppler | dp.st. | (?:[a-z0-9_-]{1,40}\.)?W{40,44}
infisical | st. | X{24}\.X{32}\.X{32}
onepassword | ops_eyJ | B{100,}={0,2}
onepassword | A3- | [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){2,3}
pulumi | pul- | X{40}
age | AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 | [A-Z0-9]{50,}
age | age-secret-key-1 | [a-z0-9]{50,}
tailscale | tskey- | [a-z]{2,12}-W{6,}(?:-W{10,})?
linear | lin_api_ lin_oauth_ lin_wh_ | W{32,}
notion | ntn_ | W{40,}
notion | secret_ | W{40,}(?![A-Za-z0-9])
figma | figd_ figdr_ figo_ figor_ figu_ figur_ figh_ fighr_ | U{36,}
airtable | pat | W{14}\.X{64}
asana | 0/ 1/ 2/ | \d{14,16}(?:/\d{10,18})?:X{32}
clickup | pk_ | \d{4,12}_[A-Z0-9]{32}
contentful | CFPAT- | U{24,}
hubspot | pat-na1- pat-na2- pat-eu1- pat-ap1- | X{8}-X{4}-X{4}-X{4}-X{12}
salesforce | 00D | W{12,15}![A-Za-z0-9_.]{60,}
shopify | shpat_ shpca_ shppa_ shpss_ shpua_ shprt_ | X{32,}
square | sq0atp- sq0csp- sq0idp- sq0idb- | U{22,}
square | EAAA | U{56,60}(?![A-Za-z0-9_-])
paypal | access_token$production$ access_token$sandbox$ | W{16}\$X{32}
plaid | access-sandbox- access-development- access-production- | X{8}-X{4}-X{4}-X{4}-X{12}
razorpay | rzp_live_ rzp_test_ | W{14,}
flutterwave | FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK- | X{32}-X|X{12,}
easypost | EZAK EZTK | W{54}
shippo | shippo_live_ shippo_test_ | X{40}
lob | live_ test_ | X{35}(?![A-Za-z0-9])
duffel | duffel_test_ duffel_live_ | U{43}
gocardless | live_ sandbox_ | U{40}(?![A-Za-z0-9_-])
facebook | EAAC EAAM EAAB EAAD EAAG EAAP EAAR EAAV EAAW | W{60,}
linkedin | WPL_AP1. WPL_AP0. | [A-Za-z0-9.=+/]{16,}
mapbox | sk.eyJ pk.eyJ tk.eyJ | U{20,}\.U{16,}
postman | PMAK- | X{24}-X{34}
readme | rdme_ | [a-z0-9]{64,}
typeform | tfp_ | [A-Za-z0-9_.=-]{40,}
buildkite | bkua_ bkct_ bkaj_ bkpt_ | W{40,}
circleci | CCIPAT_ CCIPRJ_ | W{22}_X{40}
sonarqube | squ_ sqp_ sqa_ | X{40}
codeclimate | chpt_ | W{12,}
frameio | fio-u- | U{64}
dropbox | sl. | U{60,}
harness | pat. sat. | U{22}\.X{24}\.W{20}
octopus | API- | [A-Z0-9]{26,}(?![A-Za-z0-9])
openshift | sha256~ | U{43}
scalingo | tk-us- tk-eu- | U{48}
infracost | ico- | W{32}(?![A-Za-z0-9])
adafruit | aio_ | W{28}(?![A-Za-z0-9])
authress | sc_ ext_ scauth_ authress_ | [a-z0-9]{5,30}\.[a-z0-9]{4,6}\.[a-z0-9_-]{10,40}\.[a-z0-9+/_=-]{30,120}
ubidots | BBFF- | W{30,}
settlemint | sm_aat_ sm_pat_ sm_sat_ | W{16}
bunq | sandbox_ | X{64}
""".strip()

_CLASSES = {"W": "[A-Za-z0-9]", "X": "[0-9a-fA-F]", "U": "[A-Za-z0-9_-]", "B": "[A-Za-z0-9+/_-]"}


class Token:
    """One line of the table: what follows a prefix, and whether that may stand in the middle of a word (``inside``)."""

    __slots__ = ("family", "inside", "tail")

    def __init__(self, family: str, tail: str, inside: bool) -> None:
        self.family = family
        self.tail = tail
        self.inside = inside


def _expand(tail: str) -> str:
    """Write the letters of the table out, outside of brackets and escapes."""
    out, depth, index = [], 0, 0
    while index < len(tail):
        char = tail[index]
        if char == "\\":
            out.append(tail[index:index + 2])
            index += 2
            continue
        depth += (char == "[") - (char == "]")
        out.append(_CLASSES[char] if char in _CLASSES and not depth else char)
        index += 1
    return "".join(out)


def by_prefix() -> dict[str, list[Token]]:
    """The table, by prefix; a prefix may begin several kinds, which are tried in order."""
    table: dict[str, list[Token]] = {}
    for line in _TOKENS.splitlines():
        family, prefixes, tail = line.split(" | ", 2)
        for prefix in prefixes.split():
            rule = Token(family, _expand(tail), prefix.startswith("!"))
            table.setdefault(prefix.removeprefix("!"), []).append(rule)
    return table


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set: how lists of words are written on these pages."""
    return frozenset(text.split())


# What is no secret although it has the shape: where a value begins so, it is a digest, an object's id or a public key.
HARMLESS_STARTS = (
    "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha384:", "sha512:", "md5:", "h1:",
    "AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "AAAAGnNr", "ssh-rsa", "ssh-ed25519", "arn:", "data:", "urn:",
    "spiffe://", "gid://", "age1", "cus_", "pi_", "ch_", "evt_", "price_", "prod_", "sub_", "in_", "acct_", "req_",
    "seti_", "pm_", "src_", "card_", "txn_", "po_", "tr_", "cs_test_", "cs_live_", "si_", "il_", "re_3", "msg_",
    "chatcmpl-", "resp_", "call_", "toolu_", "thread_", "run_", "file-", "asst_", "org-", "user-", "proj_", "rtm_",
    "vpc-", "subnet-", "sg-", "ami-", "i-0", "eni-", "igw-", "vol-", "snap-", "rtb-", "iVBORw0KGgo", "R0lGOD",
    "/9j/4AA", "UklGR", "PHN2Zy", "JVBERi0", "MIIC", "MIID", "MIIE", "MIIF", "MIIB", "Qm", "bafy",
)

# Pairs of letters that are common in English words and in identifiers made of them (counted over documentation and
# code): a run of letters most of whose pairs are here can be read aloud, a random one cannot.
COMMON_PAIRS = words(
    "ab ac ad ag ai ak al am an ap ar as at au av ay ba be bi bl bo bs bu ca cc ce ch ci ck cl co cr ct cu da dd de "
    "di dl do dr ds du ea ec ed ee ef eg el em en ep er es et ev ew ex ey fa fe ff fi fl fo fr fu ge gi gn gr gs ha "
    "he hi ho ia ib ic id ie if ig il im in io ip ir is it iv iz ke ki ks la ld le li ll lo ls lt lu ly ma mb me mi "
    "mm mo mp ms mu na nc nd ne nf ng ni nk nn no ns nt nu nv ob oc od of og ol om on oo op or os ot ou ov ow pa pe "
    "pi pl po pp pr ps pt pu py qu ra rc rd re rg ri rm rn ro rr rs rt ru ry sa sc se sh si sl so sp ss st su sy ta "
    "tc te th ti tl to tr ts tt tu ty ua ub uc ue ui ul um un up ur us ut va ve vi wa we wi wo wr xp xt yp ze "
)

# Words that stand where a value would, and are none: types, states, what a form says about a field.
HARMLESS_WORDS = words(
    """
    a an the this that it is are was none null nil undefined true false yes no on off str string text varchar char int
    integer number bool boolean bytes bytea buffer uuid object array list dict map any unknown optional required
    nullable hidden masked redacted secure secret secrets secretstr token tokens password passwords passwd key keys
    auth bearer basic digest oauth oauth2 jwt jwts apikey username user email login admin root guest name value
    example sample test testing demo dummy fake mock stub placeholder changeme change-me change_me replaceme foo bar
    baz foobar qux todo tbd fixme omitted empty blank missing invalid valid expired expires incorrect wrong correct
    right bad good weak strong short long stored kept saved set unset generated rotated rotating revoked encrypted
    decrypted hashed salted plain plaintext cleartext random rejected accepted denied granted needed mandatory
    available unavailable supported unsupported deprecated disabled enabled ignored allowed forbidden protected public
    private internal external shared unique static dynamic opaque signed unsigned default defaults custom manual
    automatic local global session cookie header headers query body param params field input output prompt form env
    environment config configuration file path url vault keychain keyring 1password bitwarden lastpass kms ssm sops
    read write readonly admin-only refreshed renewed issued leaked compromised exposed created updated deleted removed
    added changed checked verified validated passed sent received returned found present absent there here too not
    never always only also still now already just used reused shown visible logged hardcoded hard-coded case-sensitive
    alphanumeric numeric base64 base32 hex utf8 utf-8 ascii sha1 sha256 sha512 md5 hmac rsa2048 rsa4096 rsa rs256
    hs256 es256 hs512 rs512 eddsa ed25519 x25519 secp256k1 p256 aes aes128 aes256 aes-256-gcm chacha20 argon2 argon2id
    bcrypt scrypt pbkdf2 tls1.2 tls1.3 oauth2.0 oidc saml sha-256 sha-512 hs-256 http https grpc k8s s3 ec2 ipv4 ipv6
    please via in at by for from to of with and or if when unless until before after without as be being been will
    would can could should must may might has have had does do did same different another new old first last next
    single double multiple
    """
)
