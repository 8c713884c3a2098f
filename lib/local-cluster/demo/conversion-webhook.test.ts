import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { convertCronTab, convertReportTask, type ReportTask, startConversionWebhook } from "./conversion-webhook.ts";

describe("a cron tab", () => {
  const v1beta1 = "stable.example.com/v1beta1";
  const v1 = "stable.example.com/v1";

  test("has its hostPort split into host and port at v1, and keeps all other fields", () => {
    const old = { apiVersion: v1beta1, metadata: { name: "a" }, spec: { replicas: 2, hostPort: "example.com:8080" } };
    expect(convertCronTab(old, v1)).toEqual({
      apiVersion: v1,
      metadata: { name: "a" },
      spec: { replicas: 2, host: "example.com", port: "8080" },
    });
  });

  test.each(["example.com:8080", "[::1]:443", "example.com", ":80", ""])("has the same hostPort %j after v1 and back", (hostPort) => {
    const old = { apiVersion: v1beta1, spec: { hostPort } };
    expect(convertCronTab(convertCronTab(old, v1), v1beta1)).toEqual(old);
  });

  test.each([{ apiVersion: v1 }, { apiVersion: v1, spec: {} }, { apiVersion: v1, spec: { host: "h", port: "1" } }])(
    "is unchanged after v1beta1 and back: %j",
    (cronTab) => {
      expect(convertCronTab(convertCronTab(cronTab, v1beta1), v1)).toEqual(cronTab);
    },
  );
});

describe("a report task", () => {
  const v1beta1 = "analytics.example.com/v1beta1";
  const v1 = "analytics.example.com/v1";
  const task = (apiVersion: string, spec?: NonNullable<ReportTask["spec"]>): ReportTask => ({
    apiVersion,
    kind: "ReportTask",
    ...(spec && { spec }),
  });

  test("has its schedule as minutes at v1, and keeps all other fields", () => {
    const old = task(v1beta1, { report: "usage", schedule: "every 15 minutes" });
    expect(convertReportTask(old, v1)).toEqual(task(v1, { report: "usage", intervalMinutes: 15 }));
  });

  test.each([task(v1beta1), task(v1beta1, {}), task(v1beta1, { schedule: "every 90 minutes" })])(
    "is unchanged after v1 and back: %j",
    (old) => {
      expect(convertReportTask(convertReportTask(old, v1), v1beta1)).toEqual(old);
    },
  );

  test("with a schedule that can't be parsed can't be converted", () => {
    const broken = task(v1beta1, { schedule: "every 5th" });
    expect(() => convertReportTask(broken, v1)).toThrow(`spec.schedule "every 5th" can't be parsed`);
    expect(convertReportTask(broken, v1beta1)).toEqual(broken);
  });
});

describe("the webhook", () => {
  /** A running one: its address, and what it answers to a request whose body is sent as far as given. */
  async function started() {
    const directory = await mkdtemp(path.join(tmpdir(), "crdshift-webhook-"));
    const webhook = await startConversionWebhook(directory);
    onTestFinished(async () => {
      webhook.close();
      await rm(directory, { recursive: true });
    });
    const { url, caBundle } = webhook.conversion.webhook.clientConfig;
    const ask = async (to: string, headers: Record<string, string | number>, body = "") => {
      const asked = request(to, { method: "POST", ca: Buffer.from(caBundle, "base64"), headers, agent: false });
      onTestFinished(() => void asked.destroy());
      // Those who are refused may be cut off while they send the rest.
      asked.on("error", () => {});
      asked.flushHeaders();
      if (body) asked.write(body);
      const [response] = await once(asked, "response", { signal: AbortSignal.timeout(5_000) });
      return { status: response.statusCode, text: () => response.toArray().then((chunks: Buffer[]) => Buffer.concat(chunks).toString()) };
    };
    return { directory, url, ask };
  }

  test("converts what the API server posts to its path, which stays the same", async () => {
    const { directory, url, ask } = await started();
    const review = JSON.stringify({ request: { uid: "u", desiredAPIVersion: "stable.example.com/v1", objects: [] } });
    const answered = await ask(`${url}?timeout=30s`, { "content-length": review.length }, review);
    expect(answered.status).toBe(200);
    expect(JSON.parse(await answered.text())).toMatchObject({
      response: { uid: "u", result: { status: "Success" }, convertedObjects: [] },
    });
    const again = await startConversionWebhook(directory);
    again.close();
    expect(new URL(again.conversion.webhook.clientConfig.url).pathname).toBe(new URL(url).pathname);
  });

  // Without the refusals (secret-server.ts), it waits for the body and parses it: with 50 MB, another local user stops crdshift for seconds.
  test.each([
    ["at another path", "/convert", { "content-length": 8 }, 404],
    ["of 8 MiB", "", { "content-length": 8 << 20 }, 413],
    ["of unknown length", "", { "transfer-encoding": "chunked" }, 411],
  ] as const)("reads nothing of a body %s", async (_, other, headers, status) => {
    const { url, ask } = await started();
    const answered = await ask(other ? new URL(other, url).href : url, headers);
    expect(answered.status).toBe(status);
  });
});
