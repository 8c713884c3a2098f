import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { auditCommand, deprecatedText, openWatchesText, otherVersionsText } from "./request-evidence.tsx";

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

const versions = ["v1", "v1beta1"].map((name): CrdDetail["versions"][number] => ({
  ...{ name, served: true, storage: name === "v1", deprecated: false, deprecationWarning: null, customWarning: null, priorityReason: "" },
}));
const counter = (version: string, requests: number, verb = "GET") => ({ version, verb, code: "200", subresource: "", requests });

describe("other versions", () => {
  test("are listed with their totals, including versions the definition no longer has", () => {
    const requests = [counter("v1", 1_200), counter("v1", 4, "LIST"), counter("v1alpha1", 3), counter("v1beta1", 9)];
    expect(otherVersionsText(versions, "v1beta1", { requests }, new Map([["v1", 12]]))).toBe(
      "Other versions, for comparison: v1 1,204 (12 more), v1alpha1 3.",
    );
  });
  test("without a request show 0, and a single version gives an empty text", () => {
    expect(otherVersionsText(versions, "v1", { requests: [] }, new Map())).toBe("Other versions, for comparison: v1beta1 0.");
    expect(otherVersionsText(versions.slice(0, 1), "v1", { requests: [] }, new Map())).toBe("");
  });
});

test.each([
  [0, "A watch is counted when it ends; none is open now."],
  [1, "A watch is counted when it ends; 1 more is open now."],
  [2, "A watch is counted when it ends; 2 more are open now."],
])("%i open watches are shown beside the counters", (watches, expected) => {
  const openWatches = [{ version: "v1", watches: 7 }, ...(watches > 0 ? [{ version: "v1beta1", watches }] : [])];
  expect(openWatchesText("v1beta1", { openWatches })).toBe(expected);
});

describe("a deprecated version", () => {
  const requested = { deprecatedRequested: [{ version: "v1beta1", subresource: "status" }] };
  test("says whether it has been requested", () => {
    expect(deprecatedText({ name: "v1beta1", deprecated: true }, requested)).toMatch(/has been requested/);
    expect(deprecatedText({ name: "v1beta1", deprecated: true }, { deprecatedRequested: [] })).toMatch(/has not been requested/);
  });
  test("says so after the deprecation is undone, and a version that never was deprecated says nothing", () => {
    expect(deprecatedText({ name: "v1beta1", deprecated: false }, requested)).toMatch(/has been requested/);
    expect(deprecatedText({ name: "v1", deprecated: false }, requested)).toBe("");
  });
});
