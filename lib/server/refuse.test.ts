import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { refuse } from "./refuse.ts";

const refusal = { status: 411, code: "request_refused", message: "The body's length is unknown.", nextStep: "" } as const;

/** Asks a server that refuses each POST, through a client that keeps its only connection as long as the server lets it. */
async function openServer() {
  const server = createServer((asked, response) => (asked.method === "POST" ? refuse(asked, response, refusal) : response.end("read")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  return async (method: "GET" | "POST", chunks: readonly string[] = []): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: "127.0.0.1", port, method, agent });
    const answered = once(sent, "response");
    // What is left of the body can't be sent once the server gives the connection up.
    sent.on("error", () => {});
    for (const chunk of chunks) sent.write(chunk);
    sent.end();
    const [answer] = (await answered) as [IncomingMessage];
    return `${answer.statusCode} ${await text(answer)}`;
  };
}

// Without Connection: close, such a client's next request went out on a connection that nobody reads any more, and was reset.
test("a client whose body stays unread gets the refusal, and an answer to its next request", async () => {
  const ask = await openServer();
  for (const chunks of [["a"], Array<string>(500).fill("a".repeat(10_000))]) {
    expect(await ask("POST", chunks)).toMatch(/^411 .*request_refused/);
    expect(await ask("GET")).toBe("200 read");
  }
});
