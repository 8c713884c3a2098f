import { beforeEach, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { abandonMigration } from "./leave-migration.ts";

const listed = vi.hoisted(() => ({ resource: "", deleted: Array.of<string>() }));

vi.mock("#lib/cluster/migrations/migration-apis.ts", async (original) => ({
  ...(await original<object>()),
  requireOwnApi: async () => "v1",
}));
vi.mock("#lib/cluster/migrations/in-tree-migration.ts", () => ({
  readMigration: async (_connection: unknown, _version: string, name: string) => ({
    ...{ name, runId: "r", resource: listed.resource, phase: "pending" },
  }),
  deleteMigration: async (_connection: unknown, _version: string, { name }: { name: string }) => listed.deleted.push(name),
}));

beforeEach(() => void Object.assign(listed, { deleted: [] }));

const connection = {} as Partial<Connection> as Connection;
const run = sampleRun({ id: "r" });
const abandon = () => abandonMigration(connection, run, { migration: "crdshift-r-2", phase: "pending" }, AbortSignal.timeout(1_000));

// Without isMigrationOf (leave-migration.ts), whoever cancels a copy of the run at another definition deletes it.
test("a run's migration stays if it is of another definition, to which somebody has copied the run", async () => {
  listed.resource = "victims.example.com";
  expect(await abandon()).toEqual({ phase: "pending", left: "crdshift-r-2 no longer exists." });
  expect(listed.deleted).toEqual([]);
});

test("a run's own migration is deleted while it is pending", async () => {
  listed.resource = run.crd;
  expect(await abandon()).toMatchObject({ phase: null });
  expect(listed.deleted).toEqual(["crdshift-r-2"]);
});
