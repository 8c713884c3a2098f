import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readEnv } from "#lib/settings/env.ts";
import { readKubeContexts } from "./kubeconfig.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "crdshift-kubeconfig-"));
});
afterAll(() => rm(directory, { recursive: true }));

let files = 0;
async function file(content: string | object): Promise<string> {
  files += 1;
  const name = path.join(directory, `config-${files}`);
  await writeFile(name, typeof content === "string" ? content : stringify(content));
  return name;
}

const read = (...names: string[]) => readKubeContexts(readEnv({ KUBECONFIG: names.join(path.delimiter) }));
const refusalOf = (...names: string[]) => {
  try {
    return read(...names);
  } catch (error) {
    return error;
  }
};

/** A kubeconfig with a context for each name, each with a cluster and a user of its own. */
const config = (names: string[], more: object = {}) => ({
  contexts: names.map((name) => ({ name, context: { cluster: `${name}-cluster`, user: `${name}-user` } })),
  clusters: names.map((name) => ({ name: `${name}-cluster`, cluster: { server: `https://${encodeURIComponent(name)}.example.com` } })),
  users: names.map((name) => ({ name: `${name}-user`, user: { token: `token-of-${name}` } })),
  ...more,
});

describe("contexts", () => {
  test("are all read, each on its own, whatever is in their names", async () => {
    const names = ["arn:aws:eks:eu-west-1:1:cluster/a b", "kind-dev", "100%", "ä/ö?#"];
    const { contexts, current } = read(await file(config(names, { "current-context": "kind-dev" })));
    expect([...contexts.keys()].toSorted()).toEqual(names.toSorted());
    expect(current).toBe("kind-dev");
    for (const name of names) {
      const one = contexts.get(name);
      expect(one?.getContexts().map((context) => context.name)).toEqual([name]);
      expect(one?.getCurrentCluster()?.server).toBe(`https://${encodeURIComponent(name)}.example.com`);
      expect(one?.getCurrentUser()?.token).toBe(`token-of-${name}`);
    }
  });

  test("of several files are merged as kubectl does: the first of a name wins, so does the first current one", async () => {
    const other = config(["a", "b"], { "current-context": "b" });
    for (const { cluster } of other.clusters) cluster.server = "https://other.example.com";
    const { contexts, current } = read(await file(config(["a"], { "current-context": "a" })), await file(other));
    expect(contexts.get("a")?.getCurrentCluster()?.server).toBe("https://a.example.com");
    expect(contexts.get("b")?.getCurrentCluster()?.server).toBe("https://other.example.com");
    expect(current).toBe("a");
  });

  test("have the first as the default when none is current, or when the current one does not exist", async () => {
    expect(read(await file(config(["b", "a", "c"]))).current).toBe("b");
    expect(read(await file(config(["b", "a"], { "current-context": "gone" })))).toMatchObject({ current: "b", isNamed: false });
    expect(read(await file(config(["b"], { "current-context": "gone" })))).toMatchObject({ current: "b", isNamed: false });
    expect(read(await file(config(["b"])))).toMatchObject({ current: "b", isNamed: true });
  });

  test("that share a user never share its cached credentials", async () => {
    const shared = config(["a", "b"]);
    shared.contexts = shared.contexts.map((context) => ({ ...context, context: { ...context.context, user: "a-user" } }));
    const { contexts } = read(await file(shared));
    expect(contexts.get("a")?.getCurrentUser()?.name).not.toBe(contexts.get("b")?.getCurrentUser()?.name);
    expect(contexts.get("b")?.getCurrentUser()?.token).toBe("token-of-a");
  });

  test.each(["as-groups", "as-uid", "as-user-extra"])(
    "that would impersonate with %s, which the client drops, can't be used, and say why",
    async (key) => {
      const impersonating = config(["a", "b"]);
      impersonating.users[0] = { name: "a-user", user: { token: "t", as: "bob", [key]: ["x"] } } as (typeof impersonating.users)[0];
      const { contexts, unusable } = read(await file(impersonating));
      expect([...contexts.keys()]).toEqual(["a", "b"]);
      expect([...unusable]).toEqual([["a", expect.stringMatching(/impersonates .* crdshift doesn't support/)]]);
    },
  );

  // Without hasCommandProvider (kubeconfig.ts), the whole process waits for the command, which gets crdshift's own secrets.
  test.each<[string, object]>([
    ["gcp with a command", { name: "gcp", config: { "cmd-path": "gcloud", "cmd-args": "config config-helper" } }],
    ["azure with a command", { name: "azure", config: { "cmd-path": "az", "access-token": "t" } }],
    ["exec", { name: "exec" }],
    ["any with an exec", { name: "mine", config: { exec: { command: "sign-in" } } }],
  ])("that would sign in with the auth-provider %s can't be used, and say why", async (_, provider) => {
    const calling = config(["a", "b", "c"]);
    const users = [
      { name: "a-user", user: { "auth-provider": provider } },
      { name: "b-user", user: { "auth-provider": { name: "gcp", config: { "access-token": "t" } } } },
      // The file goes before it.
      { name: "c-user", user: { "auth-provider": provider, tokenFile: "token" } },
    ];
    const { contexts, unusable } = read(await file({ ...calling, users }));
    expect([...contexts.keys()]).toEqual(["a", "b", "c"]);
    expect([...unusable]).toEqual([["a", expect.stringMatching(/auth-provider that runs a command.*exec plugin/)]]);
  });

  test("that name a cluster or a user that is not there can't be used, and say why", async () => {
    const broken = config(["a", "b", "c"]);
    broken.clusters = broken.clusters.filter(({ name }) => name !== "a-cluster");
    broken.users = broken.users.filter(({ name }) => name !== "b-user");
    expect([...read(await file(broken)).unusable]).toEqual([
      ["a", expect.stringContaining("a-cluster")],
      ["b", expect.stringContaining("b-user")],
    ]);
  });

  test("sign in with the token in a file beside the kubeconfig, which goes before a token", async () => {
    const users = [{ name: "a-user", user: { token: "stale", tokenFile: "tokens/a" } }];
    const user = read(await file(config(["a"], { users })))
      .contexts.get("a")
      ?.getCurrentUser();
    expect(user).toMatchObject({ authProvider: { config: { tokenFile: path.join(directory, "tokens/a") } } });
    expect(user).not.toHaveProperty("token");
  });

  test("come from the files that exist when KUBECONFIG names several", async () => {
    expect([...read("/nowhere", await file(config(["a"]))).contexts.keys()]).toEqual(["a"]);
  });
});

// Without textOf (kubeconfig.ts) the second read finds nothing: `--kubeconfig <(…)` and /dev/stdin never work.
test("a kubeconfig from a pipe can be read again", async () => {
  const script = `
    import { readKubeContexts } from ${JSON.stringify(new URL("./kubeconfig.ts", import.meta.url).href)};
    import { readEnv } from "#lib/settings/env.ts";
    const read = () => [...readKubeContexts(readEnv({ KUBECONFIG: "/dev/stdin" })).contexts.keys()];
    console.log(JSON.stringify([read(), read()]));`;
  const args = [await file(config(["a"])), process.execPath, script];
  const { stdout } = spawnSync("sh", ["-c", 'cat "$0" | "$1" --input-type=module --eval "$2"', ...args], { encoding: "utf8" });
  expect(stdout).toBe('[["a"],["a"]]\n');
});

describe("a kubeconfig that can't be used is named, with what is wrong and what to do", () => {
  const cases: { what: string; content: string; message: RegExp }[] = [
    { what: "empty", content: "", message: /is not a readable kubeconfig: .*empty/ },
    { what: "no YAML", content: "{", message: /is not a readable kubeconfig: unexpected end/ },
    { what: "a text", content: "hello", message: /is not a readable kubeconfig: .*[a-z]{3}/ },
    { what: "a list", content: "[]", message: /is not a readable kubeconfig: .*[a-z]{3}/ },
    { what: "of users that are none", content: "users: [1, 2]", message: /is not a readable kubeconfig: .*[a-z]{3}/ },
    { what: "without contexts", content: "apiVersion: v1\nkind: Config\n", message: /has no contexts\.$/ },
  ];

  test.each(cases)("one that is $what", async ({ content, message }) => {
    const name = await file(content);
    const error = refusalOf(name);
    expect(error).toMatchObject({ name: "AppError", code: "invalid_input", nextStep: expect.stringContaining("--demo") });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain(name);
  });

  test("one that does not exist, also among others", async () => {
    const missing = path.join(directory, "missing");
    expect(refusalOf(missing)).toMatchObject({
      code: "invalid_input",
      message: `KUBECONFIG points to ${missing}, which doesn't exist.`,
      nextStep: expect.stringContaining("unset it"),
    });
  });

  test("a folder", async () => {
    const folder = path.join(directory, "folder");
    await mkdir(folder);
    expect(refusalOf(folder)).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(`${folder} is not a readable kubeconfig`),
    });
  });

  test("none at all", () => {
    expect(() => readKubeContexts(readEnv({ HOME: directory }))).toThrow("No kubeconfig found.");
  });
});
