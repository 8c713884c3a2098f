import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { audit, judgeAdvisories, readAccepted } from "./audit.ts";

// On a busy machine npm alone takes seconds.
vi.setConfig({ testTimeout: 60_000 });

const TODAY = "2026-11-22";
const weakness = (severity: string) => ({
  id: "GHSA-aaaa-bbbb-cccc",
  package: "next",
  severity,
  title: "Planted",
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  range: "<99.0.0",
});
const acceptance = { id: "GHSA-aaaa-bbbb-cccc", package: "next", reason: "It is planted by a test, and does no harm.", until: TODAY };

/** Starts a registry with these advisories by package, or without audits if null. Returns its address and the requests. */
async function registryWith(advisories: Record<string, unknown[]> | null) {
  const asked = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isAudit = request.method === "POST" && request.url === "/-/npm/v1/security/advisories/bulk";
    if (!isAudit || advisories === null) return void response.writeHead(isAudit ? 405 : 404).end();
    const body = Buffer.concat(chunks);
    const names = Object.keys(JSON.parse(String(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body)));
    for (const name of names) asked.add(name);
    const known = Object.entries(advisories).filter(([name]) => names.includes(name));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Object.fromEntries(known)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const knownOf = (name: string, severity: string) => ({
  [name]: [
    {
      ...{ id: 1, url: weakness(severity).url, title: "Planted", severity, vulnerable_versions: "<99.0.0" },
      ...{ cwe: [], cvss: { score: 0, vectorString: null } },
    },
  ],
});

test.each([
  ["critical", 1, "SERIOUS: critical, next <99.0.0: Planted"],
  ["high", 1, "SERIOUS: high, next <99.0.0: Planted"],
  ["moderate", 0, "accepted: moderate, next <99.0.0: Planted"],
])("a %s advisory makes the audit exit with %i", async (severity, exitCode, text) => {
  const result = await audit((await registryWith(knownOf("next", severity))).address);
  expect(result).toEqual({ exitCode, text: expect.stringContaining(text) });
});

test("the audit asks about all production packages and no others", async () => {
  const registry = await registryWith(knownOf("lodash", "high"));
  expect(await audit(registry.address)).toEqual({ exitCode: 0, text: "Checked: no serious advisories." });
  expect([...registry.asked]).toEqual(expect.arrayContaining(["next", "undici", "zod", "yaml", "sharp", "rolldown"]));
  expect([...registry.asked]).not.toContain("vitest");
});

test.each([
  ["has no audit", async () => (await registryWith(null)).address, /40[45]/],
  ["is unreachable", async () => "http://127.0.0.1:9/", /ECONNREFUSED/],
  ["knows no advisories", async () => (await registryWith({})).address, /no advisories for lodash 4\.17\.0 either/],
])("a registry that %s does not count as a clean answer", async (_, registry, because) => {
  const { exitCode, text } = await audit(await registry());
  expect(exitCode).toBe(2);
  expect(text).toMatch(/^NOT CHECKED: /);
  expect(text).toMatch(because);
});

test("an accepted advisory stays accepted until its last day, for its package only", () => {
  const high = weakness("high");
  expect(judgeAdvisories([high], [acceptance], TODAY)).toEqual({ grave: [], borne: [high], outdated: [] });
  expect(judgeAdvisories([high], [acceptance], "2026-11-23")).toEqual({ grave: [high], borne: [], outdated: [acceptance] });
  const ofAnother = { ...acceptance, package: "undici" };
  expect(judgeAdvisories([high], [ofAnother], TODAY)).toEqual({ grave: [high], borne: [], outdated: [ofAnother] });
});

test("each accepted advisory has a reason and an end date", async () => {
  expect(await readAccepted()).toBeInstanceOf(Array);
});
