import { expect, test } from "vitest";
import { localTime } from "#lib/domain/wording/local-time.ts";
import { unreadWarning } from "./unread-warning.ts";

const now = Date.parse("2026-01-02T12:10:00Z");
const when = { within: "5 s", now };

// Without lastListed (unread-warning.ts) nobody reads how old the migrations are that the states rest on.
test("a warning tells when the migrations were last listed", () => {
  const at = "2026-01-02T12:00:00Z";
  const failed = { status: "failed", message: "busy" } as const;
  const last = `last listed ${localTime(at, now)},`;
  expect(unreadWarning("openshift", { api: failed, asOf: at }, when)).toBe(
    `Warning: the migrations in migration.k8s.io, ${last} weren't read: busy`,
  );
  expect(unreadWarning("openshift", { api: null, asOf: at }, when)).toContain(`${last} weren't read within 5 s.`);
});

// Without "incomplete" (unread-warning.ts) it says that the migrations weren't read in time, and not what helps.
test("a warning tells migrations that were listed in part from those that weren't read", () => {
  const warning = (api: Parameters<typeof unreadWarning>[1]["api"]) => unreadWarning("openshift", { api, asOf: null }, when);
  const which = "Warning: the migrations in migration.k8s.io";
  expect(warning(null)).toBe(`${which} weren't read within 5 s.`);
  expect(warning({ status: "failed", message: "busy" })).toBe(`${which} weren't read: busy`);
  expect(warning({ status: "incomplete", version: "v1alpha1", message: "There are more than 20,000." })).toBe(
    `${which} were listed only in part: There are more than 20,000. Delete old StorageVersionMigrations.`,
  );
});
