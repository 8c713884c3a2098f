import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { auditCommand } from "./request-evidence.tsx";

const crd = { group: "stable.example.com", plural: "crontabs" };

test("filters the audit log by version and resource, and prints user, client and verb", () => {
  expect(auditCommand(crd, "v1beta1")).toBe(
    `jq -r 'select(.stage != "RequestReceived" and .objectRef.apiGroup == "stable.example.com" and .objectRef.resource == "crontabs" and ` +
      `.objectRef.apiVersion == "v1beta1") | [.user.username, .userAgent, .verb] | @tsv' audit.log |\n  sort | uniq -c | sort -rn`,
  );
});

test.skipIf(spawnSync("sh", ["-c", "command -v jq"]).status !== 0)("the command works in a shell", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "crdshift-audit-"));
  const event = (username: string, apiVersion: string, stage = "ResponseComplete") =>
    JSON.stringify({
      ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", stage, verb: "list", userAgent: "kubectl/v1.36", user: { username } },
      objectRef: { apiGroup: crd.group, resource: crd.plural, apiVersion },
    });
  const lines = [event("ada", "v1beta1"), event("ada", "v1beta1"), event("ada", "v1beta1", "RequestReceived"), event("bob", "v1")];
  writeFileSync(path.join(directory, "audit.log"), `${lines.join("\n")}\n{"kind":"Event","stage":"ResponseComplete","verb":"get"}\n`);
  const told = execFileSync("sh", ["-c", auditCommand(crd, "v1beta1")], { cwd: directory, encoding: "utf8" });
  rmSync(directory, { recursive: true });
  expect(told.trim().split(/\s+/)).toEqual(["2", "ada", "kubectl/v1.36", "list"]);
});
