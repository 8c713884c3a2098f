import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { signInCluster } from "#lib/cluster/connection/sign-in-cluster.ts";
import { findSession, newSession, sessionCookies } from "./session.ts";
import { endSession } from "./signed-out.ts";

vi.mock("#lib/cluster/connection/sign-in-cluster.ts", () => ({ signInCluster: vi.fn(() => "here") }));

const ask = (cookie = "") => new Request("http://localhost", { headers: { host: "localhost", ...(cookie && { cookie }) } });
const cookieOf = (session: ReturnType<typeof newSession>) => sessionCookies(ask(), session)[0]?.split(";")[0] ?? "";

beforeEach(() => {
  vi.stubEnv("CRDSHIFT_MODE", "token");
  vi.stubEnv("CRDSHIFT_INSTANCE", "test");
  onTestFinished(() => void vi.unstubAllEnvs());
});

// Without whereSessionsCount (session.ts), each session that a request brings reads the files that name the cluster.
test("the cluster is named once for all sessions of a request, and not for a cookie that holds none", () => {
  const sessions = Array.from({ length: 4 }, () => newSession("token", { text: "t", expiresAt: null }));
  const cookie = sessions.map(cookieOf).join("; ");
  vi.mocked(signInCluster).mockClear();
  expect(findSession(ask("crdshift-test-s.0=junk"))).toEqual({ session: null, ended: "other-key" });
  expect(signInCluster).not.toHaveBeenCalled();
  expect(findSession(ask(cookie))).toEqual({ session: sessions[0], ended: null });
  for (const session of sessions.slice(0, 3)) endSession(session);
  expect(findSession(ask(cookie))).toEqual({ session: sessions[3], ended: null });
  expect(signInCluster).toHaveBeenCalledTimes(2);
  for (const session of sessions.slice(3)) endSession(session);
  expect(findSession(ask(cookie))).toEqual({ session: null, ended: "signed-out" });
});

// Forgotten by the wall clock alone, a sign-out is undone by a clock that runs ahead for a while.
test("a session that was signed out stays so, also if the clock was ahead meanwhile", () => {
  const [ended, other] = [newSession("token", { text: "t", expiresAt: null }), newSession("token", { text: "u", expiresAt: null })];
  endSession(ended);
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 9 * 3_600_000);
  // Another test may have swept a moment ago.
  vi.advanceTimersByTime(3_600_000);
  endSession(other);
  vi.useRealTimers();
  expect(findSession(ask(cookieOf(ended)))).toEqual({ session: null, ended: "signed-out" });
});

// Judged before the first is found (findSession in session.ts), thirty kilobytes of one's own sessions take milliseconds.
test("a session behind the one that counts isn't unsealed", () => {
  const [first, second] = [newSession("token", { text: "t", expiresAt: null }), newSession("token", { text: "t", expiresAt: null })];
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  expect(findSession(ask(`${cookieOf(first)}; ${cookieOf(second)}`)).session).toEqual(first);
  expect(parse).toHaveBeenCalledTimes(1);
});
