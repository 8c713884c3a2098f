import { beforeEach, expect, test, vi } from "vitest";
import type { SessionInfo } from "#lib/contract/session.ts";

const until = "2026-01-01T12:00:00.000Z";
const end = Date.parse(until);
const session: SessionInfo = {
  ...{ mode: "token", readOnly: false, inPod: false, signedIn: true, user: null, ended: null, cluster: "c" },
  ...{ until, tokenUntil: until },
};

// Each page has its own module state.
beforeEach(() => void vi.resetModules());

test("a session past its end is over, and the reason is the token if both end together", async () => {
  const { endByClock, rememberSession } = await import("./known-session.ts");
  expect(endByClock(end)).toBe(null);
  rememberSession(session);
  expect(endByClock(end - 60_000)).toBe(null);
  expect(endByClock(end)).toBe("token-over");
  rememberSession({ ...session, tokenUntil: "2026-01-01T20:00:00.000Z" });
  expect(endByClock(end)).toBe("time-over");
  rememberSession({ ...session, tokenUntil: null });
  expect(endByClock(end)).toBe("time-over");
});

test("a session from a proxy's header never ends by the clock, and a signed-out answer doesn't replace the known session", async () => {
  const { endByClock, rememberSession } = await import("./known-session.ts");
  rememberSession({ ...session, until: null });
  expect(endByClock(end)).toBe(null);
  rememberSession(session);
  rememberSession({ ...session, signedIn: false, until: null, tokenUntil: null });
  expect(endByClock(end)).toBe("token-over");
});
