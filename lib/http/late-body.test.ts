import { expect, test } from "vitest";
import { z } from "zod";
import { beginShutdown } from "#lib/process-wide/shutdown.ts";
import { readBody } from "./read-body.ts";

// With the request guard's refusal alone, a change whose headers came before the signal, and whose body after it, was made unrecorded.
test("a body that arrives after the shutdown began changes nothing", async () => {
  const { readable, writable } = new TransformStream();
  const request = new Request("http://localhost", { method: "POST", body: readable, duplex: "half" } as RequestInit);
  const body = readBody(request, z.object({}));
  const writer = writable.getWriter();
  await writer.write(new TextEncoder().encode("{"));
  beginShutdown();
  const refused = expect(body).rejects.toMatchObject({ code: "conflict", message: "crdshift is shutting down." });
  await writer.write(new TextEncoder().encode("}"));
  await writer.close();
  await refused;
});
