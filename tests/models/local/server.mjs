// A real, very small model behind OpenAI's Chat Completions on loopback: what tests need of it, and no more.
//   node server.mjs FOLDER    with node_modules/node-llama-cpp and one *.gguf below FOLDER (tools/local-model makes it)
// Prints its port, and ends with its standard input.
import {createServer} from "node:http";
import {readdirSync} from "node:fs";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

const folder = resolve(process.argv[2]);
const library = pathToFileURL(join(folder, "node_modules/node-llama-cpp/dist/index.js"));
const {getLlama, LlamaChatSession, LlamaLogLevel} = await import(library);
const file = readdirSync(folder, {recursive: true}).map(String).find(name => name.endsWith(".gguf"));
const llama = await getLlama({gpu: false, build: "never", progressLogs: false, logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: join(folder, file)});
const context = await model.createContext({contextSize: 4096, threads: 2});
let queue = Promise.resolve();

async function answer(asked) {
    const said = role => asked.messages.filter(message => message.role === role).map(message => message.content).join("\n\n");
    const sequence = context.getSequence();
    try {
        const session = new LlamaChatSession({contextSequence: sequence, systemPrompt: said("system")});
        const schema = asked.response_format?.json_schema?.schema;
        const grammar = schema ? await llama.createGrammarForJsonSchema(schema) : undefined;
        const reply = await session.promptWithMeta(said("user"), {grammar, maxTokens: asked.max_tokens ?? 256, temperature: 0});
        const used = sequence.tokenMeter;
        return {
            id: "local", object: "chat.completion", created: Math.floor(Date.now() / 1000), model: asked.model,
            choices: [{
                index: 0, logprobs: null, message: {role: "assistant", content: reply.responseText},
                finish_reason: reply.stopReason === "maxTokens" ? "length" : "stop",
            }],
            usage: {
                prompt_tokens: used.usedInputTokens, completion_tokens: used.usedOutputTokens,
                total_tokens: used.usedInputTokens + used.usedOutputTokens,
            },
        };
    } finally {
        sequence.dispose();
    }
}

const server = createServer((request, response) => {
    let body = "";
    request.on("data", part => body += part);
    request.on("end", () => {
        queue = queue.then(() => answer(JSON.parse(body))).then(
            value => [200, value], error => [500, {error: {message: String(error)}}],
        ).then(([status, value]) => {
            response.writeHead(status, {"content-type": "application/json"});
            response.end(JSON.stringify(value));
        });
    });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
