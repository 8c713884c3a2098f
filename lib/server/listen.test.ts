import { createServer } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";

const CONNECTIONS = 160;

async function listening() {
  const server = createServer((_, response) => void response.end("answer"));
  const bound = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    server.closeAllConnections();
    return bound.close().then(() => {});
  });
  return { server, bound };
}

// With one listener each turn of the event loop accepts one: while strangers keep turns long and open hundreds, a health check waits 20 s.
test("many connections are accepted in one turn of the event loop", async () => {
  const { server, bound } = await listening();
  let [accepted, inThisTurn, mostInOne] = [0, 0, 0];
  server.on("connection", () => {
    accepted += 1;
    inThisTurn += 1;
    mostInOne = Math.max(mostInOne, inThisTurn);
  });
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(bound.port, bound.address));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (accepted < CONNECTIONS) {
    inThisTurn = 0;
    await setImmediate();
  }
  expect(mostInOne).toBeGreaterThan(8);
});

test("whichever listener has accepted a connection, its request is answered, and all end together", async () => {
  const { bound } = await listening();
  for (let count = 0; count < 40; count += 1) {
    const answer = await fetch(`http://${bound.address}:${bound.port}`, { headers: { connection: "close" } });
    expect(await answer.text()).toBe("answer");
  }
  await bound.close();
  await expect(fetch(`http://${bound.address}:${bound.port}`)).rejects.toThrow();
});

// Sockets that share a port would take half of another process's connections.
test("a port that another process listens on is in use", async () => {
  const { bound } = await listening();
  await expect(listen(createServer(), { host: "127.0.0.1", port: bound.port })).rejects.toThrow(
    `Port ${bound.port} on 127.0.0.1 is already in use.\nSet PORT to another port`,
  );
});
