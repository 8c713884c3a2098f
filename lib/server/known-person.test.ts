import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { knownPerson, personOf } from "./known-person.ts";

const SCRIPT = "Bearer a-token-of-scripts-0123456789";

beforeEach(() => {
  vi.stubEnv("CRDSHIFT_TOKEN", SCRIPT.slice("Bearer ".length));
  onTestFinished(() => void vi.unstubAllEnvs());
});

function ask(socket: Socket, headers: IncomingMessage["headers"]): string | null {
  return knownPerson({ headers: { host: "localhost", ...headers }, socket } as Partial<IncomingMessage> as IncomingMessage);
}

test("a connection is that of whoever is known and asked last, and of nobody before", () => {
  const socket = {} as Socket;
  expect([ask(socket, {}), personOf(socket)]).toEqual([null, null]);
  expect([ask(socket, { authorization: SCRIPT }), personOf(socket)]).toEqual(["script", "script"]);
  // A proxy sends others' requests on the same connection.
  expect([ask(socket, {}), personOf(socket)]).toEqual([null, "script"]);
});
