import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { inLongAnswersTurn } from "./long-answers.ts";
import { pathSegment, requestJson, requestLines } from "./request.ts";

test("a name is one segment, or refused", () => {
  expect(pathSegment("crontabs.stable.example.com")).toBe("crontabs.stable.example.com");
  expect(pathSegment("system:node a")).toBe("system%3Anode%20a");
  for (const name of ["", ".", "..", "a/status", "a%2Fstatus", "%"])
    expect(() => pathSegment(name)).toThrow("is not a valid Kubernetes name");
});

/** A connection to a server whose failures begin like this and don't end, and a promise of the moment when nobody reads on. */
async function endlessFailure(status: number, beginning: string, rest: string): Promise<{ connection: Connection; left: Promise<void> }> {
  const { promise: left, resolve: isLeft } = Promise.withResolvers<void>();
  const connection = await connectionTo("endless failure", (_, response) => {
    response.writeHead(status, { "content-type": "text/plain" });
    response.write(beginning);
    const more = rest.repeat(1_000);
    const write = () => {
      while (!response.destroyed && response.write(more));
    };
    response.on("drain", write).on("close", isLeft);
    write();
  });
  return { connection, left };
}

// Without a bound, a server that doesn't stop fills the memory.
test("of a failure that doesn't end, only the beginning is read", async () => {
  const { connection, left } = await endlessFailure(500, "", "no ");
  const lines = requestLines(connection, { path: "/metrics", signal: AbortSignal.timeout(30_000) });
  await expect(lines.next()).rejects.toMatchObject({ clusterMessage: expect.stringMatching(/^no no /) });
  await left;
});

describe("of a failed answer that doesn't end, the beginning is read", () => {
  const begun = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"';
  const denied = 'admission webhook \\"a.example.com\\" denied the request: no';
  const cause = '{"reason":"x","message":"no","field":"spec.size"},';
  const failure = async (status: number, beginning: string, rest: string) => {
    const { connection, left } = await endlessFailure(status, beginning, rest);
    const error: unknown = await requestJson(connection, { path: "/version", signal: AbortSignal.timeout(30_000) }).catch(
      (thrown: unknown) => thrown,
    );
    await left;
    return { error, answer: clusterAnswer(error) };
  };

  test("with the reason and the fields of a Status whose causes don't end", async () => {
    const status = `${begun}no such thing","reason":"InternalError","details":{"name":"my-tab","causes":[`;
    const { error, answer } = await failure(500, status, cause);
    expect(error).toMatchObject({ code: "cluster_rejected", clusterMessage: "no such thing" });
    expect(answer).toMatchObject({ status: 500, reason: "InternalError", name: "my-tab" });
    expect(answer?.fields).toHaveLength(50);
    expect(answer?.fields[49]).toEqual({ field: "spec.size", message: "no" });
  });

  // Without a reason, a 500 counts as an outage, which pauses a run.
  test("and a Status whose message doesn't end is the API server's own answer", async () => {
    const { error, answer } = await failure(500, `${begun}${denied}`, "\\u00e4 no");
    expect(error).toMatchObject({ code: "cluster_rejected", clusterMessage: expect.stringMatching(/^admission webhook .* no\u00e4 no/) });
    expect(answer?.reason).not.toBe("");
  });

  test("and what is no Status is still an outage", async () => {
    expect((await failure(500, "<html>", "no ")).error).toMatchObject({ code: "cluster_unreachable" });
    expect((await failure(500, '{"error":"', "no ")).error).toMatchObject({ code: "cluster_unreachable" });
    expect((await failure(503, `${begun}no`, "no ")).error).toMatchObject({ code: "cluster_unreachable" });
  });
});

// A webhook's Status may have any length. Read as they came, many that came at once were one turn of the event loop.
test("a long failure is read when no other long answer is, and a short one at once", async () => {
  const status = (message: string) => JSON.stringify({ kind: "Status", status: "Failure", message, reason: "Invalid" });
  const connection = await connectionTo("long failures", ({ url }, response) =>
    response.writeHead(422).end(status(url === "/long" ? "no ".repeat(50_000) : "no")),
  );
  const signal = AbortSignal.timeout(60_000);
  const failure = (path: string) => requestJson(connection, { path, signal }).catch((error: unknown) => clusterAnswer(error)?.reason);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const other = inLongAnswersTurn("x".repeat(1_000_000), connection, signal, () => over);
  const long = failure("/long");
  expect(await failure("/short")).toBe("Invalid");
  expect(await Promise.race([long, setTimeout(500, "waits")])).toBe("waits");
  end();
  expect(await Promise.all([long, other])).toEqual(["Invalid", undefined]);
});

describe("the lines of an answer", () => {
  async function linesOf(answer: (response: ServerResponse) => void): Promise<string[]> {
    const connection = await connectionTo("lines", (_, response) => answer(response));
    return Array.fromAsync(requestLines(connection, { path: "/", signal: AbortSignal.timeout(30_000) }));
  }

  test("are the same however the answer arrives", async () => {
    const bytes = Buffer.from('{"a":"ä"}\n\n{"b":"\u{1f600}"}\n');
    const lines = await linesOf(async (response) => {
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(lines).toEqual(['{"a":"ä"}', "", '{"b":"\u{1f600}"}']);
  });

  // A line was searched from its beginning with each piece that came: for 30 MiB, that took seconds.
  test("are searched once, however long one is", async () => {
    let searched = 0;
    const split = String.prototype.split;
    vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, ...[separator, limit]: Parameters<typeof split>) {
      if (this.includes("xxx")) searched += this.length;
      return split.call(this, separator, limit);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const [line, ...more] = await linesOf((response) => response.end(`${"x".repeat(4 * 1024 * 1024)}\n`));
    expect(more).toEqual([]);
    expect(line).toHaveLength(4 * 1024 * 1024);
    expect(searched).toBeLessThan(5 * 1024 * 1024);
  });
});
