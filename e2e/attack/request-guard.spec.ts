import { request as httpRequest } from "node:http";
import { expect, test } from "#e2e/fixtures.ts";
import { askDashboard, scriptHeaders } from "#lib/server/testing/ask-dashboard.ts";

test("a host name that DNS could point here is refused on every path and method", async ({ dashboard, apiUrl, pageUrl }) => {
  for (const url of [`${dashboard.url}/`, `${dashboard.url}/api/health`, apiUrl("/crds"), apiUrl("/events"), pageUrl()]) {
    for (const method of ["GET", "POST", "HEAD"]) {
      expect(await statusOf(url, method, { host: "rebound.example.com" }), `${method} ${url}`).toBe(403);
    }
  }
  expect(await statusOf(`${dashboard.url}/api/health`, "GET", { host: "localhost:8001" })).toBe(200);
});

test("another site can neither start a rewrite nor prune", async ({ apiUrl, staleDefinition }) => {
  const definition = await staleDefinition(1);
  const before = await definition.read();
  for (const path of ["rewrites", "stored-versions/prune"]) {
    const url = apiUrl(`/crds/${definition.name}/${path}`);
    const json = { "content-type": "application/json" };
    expect(await statusOf(url, "POST", { ...json, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await statusOf(url, "POST", { ...json, "sec-fetch-site": "same-site" })).toBe(403);
    expect(await statusOf(url, "POST", { ...json, origin: "http://localhost:9999" })).toBe(403);
    expect(await statusOf(url, "POST", { ...json, origin: "null" })).toBe(403);
    expect(await statusOf(url, "POST", { "content-type": "text/plain", "sec-fetch-site": "same-origin" })).toBe(415);
    expect(await statusOf(url, "POST", { ...scriptHeaders, "content-type": "application/x-www-form-urlencoded" })).toBe(415);
  }
  expect(await definition.read()).toEqual(before);
});

test("an invalid escape in a path or a slash in a name is a client error without effect", async ({
  dashboard,
  apiUrl,
  staleDefinition,
}) => {
  const definition = await staleDefinition(1);
  for (const path of ["/api/%zz", "/%", "/api/clusters/x/crds/%ff"])
    expect(await statusOf(`${dashboard.url}${path}`, "GET", {}), path).toBe(400);
  const before = await definition.read();
  const json = { ...scriptHeaders, "content-type": "application/json" };
  expect(await statusOf(apiUrl(`/crds/${definition.name}%2Fstatus/rewrites`), "POST", json)).toBe(400);
  expect(await statusOf(apiUrl(`/crds/${definition.name}%2Fstatus/conversion/drop`), "POST", json)).toBe(400);
  expect(await definition.read()).toEqual(before);
});

test("a script without Origin and Sec-Fetch-Site needs only a bearer token", async ({ apiUrl }) => {
  const url = apiUrl("/crds/nothing.example.com/rewrites");
  const json = { "content-type": "application/json" };
  expect(await statusOf(url, "POST", json)).toBe(403);
  expect(await statusOf(url, "POST", { ...json, ...scriptHeaders })).toBe(404);
});

test("invalid input returns an error with a next step", async ({ apiUrl, staleDefinition }) => {
  const definition = await staleDefinition(1);
  const post = async (path: string, body: string) => {
    const response = await askDashboard(apiUrl(`/crds/${definition.name}/${path}`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await post("rewrites", "{")).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_input", nextStep: expect.any(String) } },
  });
  expect(await post("rewrites", '{"surprise":1}')).toMatchObject({ status: 400, body: { error: { code: "invalid_input" } } });
  expect(await post("stored-versions/prune", '{"confirm":"widgets"}')).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_input" } },
  });
  expect(await post("stored-versions/prune", `{"confirm":"${definition.name}"}`)).toMatchObject({
    status: 409,
    body: { error: { code: "precondition_failed" } },
  });
  expect(await post("stored-versions/restore", '{"versions":["v9"]}')).toMatchObject({
    status: 409,
    body: { error: { code: "precondition_failed" } },
  });
});

function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      response.destroy();
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}
