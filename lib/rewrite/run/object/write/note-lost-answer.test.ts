import type { RequestListener } from "node:http";
import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { rewriteObject } from "#lib/cluster/objects/custom-objects.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { createGate, GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { noAttempts, noteLostAnswer } from "./note-lost-answer.ts";

const signal = AbortSignal.timeout(30_000);
const WIDGETS = { group: "example.com", plural: "widgets", scope: "Namespaced" } as const;
const WRITTEN: RequestListener = (_, response) => void response.writeHead(200).end('{"metadata":{"resourceVersion":"1"}}');

/** A write to a server, whose credentials the test gives. */
async function writing(answer: RequestListener) {
  const [listener, authHeaders, onPatch] = [vi.fn(answer), vi.fn<Connection["authHeaders"]>(async () => ({})), vi.fn()];
  const connection = { ...(await connectionTo("a server", listener)), authHeaders };
  const gate = createGate();
  const attempts = noAttempts(signal);
  const write = (within = signal) =>
    noteLostAnswer(attempts, { within, gate, owners: [] }, (how) =>
      rewriteObject(connection, WIDGETS, "v1", { namespace: "default", name: "one" }, { ...how, onPatch }),
    );
  /** How many requests the server got, how many patches count as sent, and whether one may be stored. */
  const told = () => [listener.mock.calls.length, onPatch.mock.calls.length, attempts.unanswered];
  return { gate, authHeaders, write, told };
}

// Without held() (outage-gate.ts) a write that has waited for credentials goes out although the definition may have changed meanwhile.
test("a write that waited for credentials while the confirmation of the definition ran out waits for the next one", async () => {
  const { gate, authHeaders, write, told } = await writing(WRITTEN);
  const { promise, resolve } = Promise.withResolvers<Record<string, string>>();
  authHeaders.mockReturnValueOnce(promise);
  const writes = write();
  await vi.waitFor(() => expect(authHeaders).toHaveBeenCalled());
  gate.definition.release(Date.now() - 1);
  resolve({});
  await new Promise((wait) => setTimeout(wait, 100));
  expect(told()).toEqual([0, 0, false]);
  gate.definition.release();
  await writes;
  expect(told()).toEqual([1, 1, false]);
});

// Where onPatch is told earlier (custom-objects.ts) the run counts a write that it never sent.
test("a write that waited for credentials while the record was held is left for a later turn", async () => {
  const { gate, authHeaders, write, told } = await writing(WRITTEN);
  authHeaders.mockImplementationOnce(async () => {
    gate.record.hold("The record can't be renewed.");
    return {};
  });
  await expect(write()).rejects.toThrow(GateHeld);
  expect(told()).toEqual([0, 0, false]);
});

// Without refused() (request.ts) the write counts as one whose answer was lost, which disproves what others have shown of the object.
test("a write that got a 401, and can't go out once more, was answered", async () => {
  const { authHeaders, write, told } = await writing((_, response) => void response.writeHead(401).end());
  authHeaders.mockResolvedValueOnce({}).mockRejectedValueOnce(new Error("The plugin failed."));
  await expect(write()).rejects.toThrow();
  expect(told()).toEqual([1, 1, false]);
});

// Where refused() holds for what is sent afterwards, too, a write that may be stored goes untold.
test("a write that got a 401, and no answer when it went out once more, may be stored", async () => {
  let count = 0;
  const { write, told } = await writing((request, response) => {
    count += 1;
    if (count === 1) response.writeHead(401).end();
    else request.socket.destroy();
  });
  await expect(write()).rejects.toThrow();
  expect(told()).toEqual([2, 1, true]);
});
