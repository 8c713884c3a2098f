import { expect, test } from "vitest";
import { unreadWarning } from "./unread-warning.ts";

// Without "incomplete" (unread-warning.ts) it says that the migrations weren't read in time, and not what helps.
test("a warning tells migrations that were listed in part from those that weren't read", () => {
  const warning = (api: Parameters<typeof unreadWarning>[1]["api"]) => unreadWarning("openshift", { api, asOf: null }, "5 s");
  const which = "Warning: the migrations in migration.k8s.io";
  expect(warning(null)).toBe(`${which} weren't read within 5 s.`);
  expect(warning({ status: "failed", message: "busy" })).toBe(`${which} weren't read: busy`);
  expect(warning({ status: "incomplete", version: "v1alpha1", message: "There are more than 20,000." })).toBe(
    `${which} were listed only in part: There are more than 20,000. Delete old StorageVersionMigrations.`,
  );
});
