// Reverie for OpenCode 1.x. Written by `reverie install opencode`, removed by `reverie uninstall opencode`.
// OpenCode has no command hooks: this hands its events to Reverie's hook, one process an event. It waits a bounded time, and
// whatever goes wrong the session goes on without memory; `reverie status` says what went wrong.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const INSIDE = "REVERIE_INSIDE" in process.env && !["", "0", "false", "no", "off"].includes(process.env.REVERIE_INSIDE.trim().toLowerCase())
const MOST_CHARACTERS = 40000
const SIDE_CALL = /^You are a (title generator|context summarization)/

const ask = (payload, milliseconds) =>
  new Promise((resolve) => {
    if (INSIDE) return resolve("")
    let said = ""
    let done = false
    const end = (text) => {
      if (done) return
      done = true
      clearTimeout(timer)
      resolve(text)
    }
    let child
    const timer = setTimeout(() => {
      try {
        child?.kill("SIGKILL")
      } catch {}
      end("")
    }, milliseconds)
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      child.on("error", () => end(""))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => {
        if (said.length < MOST_CHARACTERS) said += text
      })
      child.on("close", (code) => end(code === 0 ? said.trim() : ""))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      end("")
    }
  })

// For what nobody waits for: it outlives this client, which may end with the turn, so its payload goes with the command.
const tell = (payload) => {
  if (INSIDE) return
  try {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--payload", JSON.stringify(payload)], { stdio: "ignore", detached: true, windowsHide: true })
    child.on("error", () => {})
    child.unref()
  } catch {}
}

export const Reverie = async ({ client, directory }) => {
  const blocks = new Map() // session -> a promise of its block: asked for once, the same bytes in every call
  const kinds = new Map() // session -> whether a person talks to it

  const event = (name, session, more = {}) => ({ hook_event_name: name, session_id: session, cwd: directory, ...more })

  const isMain = async (session) => {
    if (!kinds.has(session)) {
      let main = true
      try {
        const found = await Promise.race([
          client.session.get({ path: { id: session } }),
          new Promise((resolve) => setTimeout(resolve, 500)),
        ])
        main = !found?.data?.parentID
      } catch {}
      kinds.set(session, main)
    }
    return kinds.get(session)
  }

  return {
    "experimental.chat.system.transform": async (input, output) => {
      try {
        const session = input?.sessionID
        if (!session || SIDE_CALL.test(output.system[0] ?? "") || !(await isMain(session))) return
        if (!blocks.has(session)) blocks.set(session, ask(event("SessionStart", session, { source: "startup" }), 6000))
        const block = await blocks.get(session)
        if (block) output.system.push(block)
      } catch {}
    },

    "chat.message": async (input, output) => {
      try {
        const session = input?.sessionID
        if (!session || !(await isMain(session))) return
        const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
        if (!prompt.trim()) return
        const text = await ask(event("UserPromptSubmit", session, { prompt }), 3000)
        if (!text) return
        // ids sort within a message: "zz" puts ours behind the prompt
        const id = "prt_zz" + Date.now().toString(36) + Math.random().toString(36).slice(2, 10)
        output.parts.push({ id, sessionID: session, messageID: output.message.id, type: "text", synthetic: true, text })
      } catch {}
    },

    "tool.execute.after": async (input, output) => {
      try {
        const args = input?.args ?? {}
        if (!["read", "write", "edit"].includes(input?.tool) || typeof args.filePath !== "string") return
        const text = await ask(event("PostToolUse", input.sessionID, { tool_name: input.tool, tool_input: { file_path: args.filePath } }), 3000)
        if (text && typeof output.output === "string") output.output = text + "\n\n" + output.output
      } catch {}
    },

    "experimental.session.compacting": async (input, output) => {
      try {
        const text = await ask(event("PreCompact", input.sessionID, { trigger: "auto" }), 9000)
        if (text && Array.isArray(output.context)) output.context.push(text)
      } catch {}
    },

    event: async ({ event: happened }) => {
      try {
        const session = happened?.properties?.sessionID
        if (!session) return
        if (happened.type === "session.idle" && kinds.get(session) !== false) tell(event("Stop", session))
        if (happened.type === "session.compacted") {
          blocks.delete(session)
          await ask(event("PostCompact", session), 3000)
        }
      } catch {}
    },
  }
}
