import { expect } from "vitest";
import type { ErrorBody } from "#lib/contract/error.ts";

export type Method = "GET" | "POST" | "PATCH";

/** Requests below /api of a server, each with the token of one of its users. `asked` collects them, without their queries. */
export function askAs<Who extends string>(server: () => { url: string; tokens: ReadonlyMap<Who, string> }) {
  const asked = new Set<string>();
  const answer = async (response: Response) => ({ status: response.status, text: await response.text() });

  async function send(who: Who, method: Method, below: string, body: object = {}): Promise<Response> {
    const { url, tokens } = server();
    asked.add(`${method} ${below.split("?")[0]}`);
    return fetch(`${url}/api/${below}`, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: { authorization: `Bearer ${tokens.get(who)}`, "content-type": "application/json" },
      ...(method !== "GET" && { body: JSON.stringify(body) }),
    });
  }

  /** The body of a user's request, which must succeed. */
  async function get<Body>(who: Who, at: string): Promise<Body> {
    const { status, text } = await answer(await send(who, "GET", at));
    expect([status, text]).toEqual([200, expect.anything()]);
    return JSON.parse(text) as Body;
  }

  async function expectReadable(who: Who, at: string): Promise<void> {
    const { status, text } = await answer(await send(who, "GET", at));
    expect([`${who} ${at}`, status, text]).toEqual([expect.anything(), 200, expect.anything()]);
  }

  async function expectRefused(who: Who, method: Method, at: string, body?: object): Promise<void> {
    const { status, text } = await answer(await send(who, method, at, body));
    expect([`${who} ${method} ${at}`, status, text]).toEqual([expect.anything(), 403, expect.stringContaining('"code":"forbidden"')]);
    expect((JSON.parse(text) as ErrorBody).error.message).not.toBe("");
  }

  async function expectDone(who: Who, method: Method, at: string, body?: object): Promise<unknown> {
    const { status, text } = await answer(await send(who, method, at, body));
    expect([`${who} ${method} ${at}`, status < 300, text]).toEqual([expect.anything(), true, expect.anything()]);
    return JSON.parse(text);
  }

  return { asked, send, get, expectReadable, expectRefused, expectDone };
}
