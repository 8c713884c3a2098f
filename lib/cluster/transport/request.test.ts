import { expect, test } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { pathSegment, requestLines } from "./request.ts";

test("a name is one segment, or refused", () => {
  expect(pathSegment("crontabs.stable.example.com")).toBe("crontabs.stable.example.com");
  expect(pathSegment("system:node a")).toBe("system%3Anode%20a");
  for (const name of ["", ".", "..", "a/status", "a%2Fstatus", "%"])
    expect(() => pathSegment(name)).toThrow("is not a valid Kubernetes name");
});

// Without a bound, a server that doesn't stop fills the memory.
test("of a failure that doesn't end, only the beginning is read", async () => {
  let isLeft = () => {};
  const left = new Promise<void>((resolve) => {
    isLeft = resolve;
  });
  const connection = await connectionTo("endless failure", (_, response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    const write = () => {
      while (!response.destroyed && response.write("no ".repeat(10_000)));
    };
    response.on("drain", write).on("close", isLeft);
    write();
  });
  const lines = requestLines(connection, { path: "/metrics", signal: AbortSignal.timeout(30_000) });
  await expect(lines.next()).rejects.toMatchObject({ clusterMessage: expect.stringMatching(/^no no /) });
  await left;
});
