import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { noteEarlyDenial, noteGranted } from "./early-denial.ts";
import { statusError, transportError } from "./errors.ts";

const widgets = { path: "/apis/example.com/v1/namespaces/default/widgets/a" };
const signal = new AbortController().signal;
let connection: Connection;

beforeEach(() => {
  connection = { name: "kind-dev", server: "https://127.0.0.1:6443" } as Connection;
});

function fail(status: number, body: object = { reason: "Forbidden" }) {
  noteEarlyDenial(connection, widgets, statusError(status, {}, JSON.stringify({ kind: "Status", ...body }), widgets));
}

function loseConnection() {
  noteEarlyDenial(connection, widgets, transportError(new Error("refused"), connection, { ...widgets, signal }));
}

function isEarly(request: { method?: string; path: string } = widgets, message = "widgets is forbidden", over = connection) {
  const body = JSON.stringify({ kind: "Status", reason: "Forbidden", message });
  return clusterAnswer(noteEarlyDenial(over, request, statusError(403, {}, body, request)))?.isEarlyDenial;
}

test.each([
  ["the connection was lost", loseConnection],
  ["a load balancer found no API server", () => fail(503)],
])("a denial of what was granted before may be temporary once %s", (_, happen) => {
  noteGranted(connection, widgets);
  happen();
  expect(isEarly()).toBe(true);
});

test.each([
  ["nothing happened", () => {}],
  ["the API server asked to slow down", () => fail(429)],
  ["the API server denied it before", () => fail(403)],
])("a denial stays one where only %s", (_, happen) => {
  noteGranted(connection, widgets);
  happen();
  expect(isEarly()).toBe(false);
});

test("a role grants all objects of a kind, at all versions", () => {
  noteGranted(connection, { path: "/apis/example.com/v1/widgets?limit=500" });
  loseConnection();
  expect(isEarly({ path: "/apis/example.com/v2/namespaces/other/widgets/b" })).toBe(true);
});

test.each([
  ["another verb", { ...widgets, method: "PATCH" }],
  ["a subresource", { path: `${widgets.path}/status` }],
  ["another kind", { path: "/apis/example.com/v1/namespaces/default/gadgets/a" }],
  ["another group", { path: "/apis/example.org/v1/namespaces/default/widgets/a" }],
])("nothing says that %s was granted, too", (_, request) => {
  noteGranted(connection, widgets);
  loseConnection();
  expect(isEarly(request)).toBe(false);
});

test("nor that it was granted to another person", () => {
  noteGranted(connection, widgets);
  loseConnection();
  expect(isEarly(widgets, "forbidden", { ...connection })).toBe(false);
});

test("what admission denies is no question of roles", () => {
  noteGranted(connection, widgets);
  loseConnection();
  expect(isEarly(widgets, 'admission webhook "no.example.com" denied the request: no')).toBeUndefined();
});

test("a minute after the last outage a denial stays one", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  noteGranted(connection, widgets);
  loseConnection();
  vi.advanceTimersByTime(59_999);
  expect(isEarly()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isEarly()).toBe(false);
});
