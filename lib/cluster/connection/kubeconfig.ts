import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Cluster, type Context, KubeConfig, type User } from "@kubernetes/client-node";
import { parse } from "yaml";
import { z } from "zod";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { type Env, readEnv } from "#lib/settings/env.ts";

/** The name of the cluster that a pod's service account belongs to. */
const IN_CLUSTER = "in-cluster";

export interface KubeContexts {
  /** The name of the default context. */
  current: string;
  /** Whether current-context names it, or none is set and it is the only context; otherwise it is the first one. */
  isNamed: boolean;
  /** By context name: a KubeConfig with only that context. */
  contexts: ReadonlyMap<string, KubeConfig>;
  /** Contexts that can't be used, with the reason and what to do. */
  unusable: ReadonlyMap<string, string>;
}

/** The kubeconfig files that kubectl would use; empty if there are none. */
export function kubeconfigFiles(env: Pick<Env, "KUBECONFIG" | "HOME">): string[] {
  const named = env.KUBECONFIG.split(delimiter).filter(Boolean);
  if (named.length > 0) return named;
  const home = join(env.HOME, ".kube", "config");
  return env.HOME && existsSync(home) ? [home] : [];
}

/**
 * Every context of the kubeconfig files, or the in-cluster account. Files merge as in kubectl: the first entry with a name wins, and
 * some of several files may be missing.
 * @throws AppError invalid_input with the file's name and what to do.
 */
export function readKubeContexts(env: Env = readEnv()): KubeContexts {
  const files = kubeconfigFiles(env);
  if (files.length === 0 && env.KUBERNETES_SERVICE_HOST) return inClusterContext();
  const present = files.filter((file) => existsSync(file));
  const [missing] = files;
  if (missing !== undefined && present.length === 0) {
    throw new AppError("invalid_input", `KUBECONFIG points to ${missing}, which doesn't exist.`, {
      nextStep: "Fix KUBECONFIG, unset it to use ~/.kube/config, or start with --demo.",
    });
  }
  const read = present.map(readFile);
  const clusters = firstOfEachName(read.flatMap((file) => file.clusters));
  const users = firstOfEachName(read.flatMap((file) => file.users));
  const contexts = firstOfEachName(read.flatMap((file) => file.contexts));
  const impersonating = new Set(read.flatMap((file) => file.impersonating));
  if (contexts.size === 0) {
    throw new AppError("invalid_input", files.length ? `${files.join(", ")} has no contexts.` : "No kubeconfig found.", {
      nextStep: "Set KUBECONFIG to a file with at least one context, or start with --demo.",
    });
  }
  const named = read.map((file) => file.currentContext).find(Boolean);
  const isThere = named !== undefined && contexts.has(named);
  const current = (isThere ? named : [...contexts.keys()][0]) ?? "";
  const unusable = new Map<string, string>();
  for (const { name, cluster, user } of contexts.values()) {
    if (!clusters.has(cluster)) unusable.set(name, `It uses the cluster ${cluster}, which isn't in the kubeconfig. Fix the kubeconfig.`);
    else if (!users.has(user)) unusable.set(name, `It uses the user ${user}, which isn't in the kubeconfig. Fix the kubeconfig.`);
    else if (impersonating.has(user)) {
      unusable.set(
        name,
        `Its user ${user} impersonates with as-groups, as-uid or as-user-extra, which crdshift doesn't support. Use another user.`,
      );
    } else if (hasCommandProvider(users.get(user))) {
      unusable.set(
        name,
        `Its user ${user} has an auth-provider that runs a command, which crdshift doesn't support. Use an exec plugin instead.`,
      );
    }
  }
  return {
    current,
    isNamed: isThere || (named === undefined && contexts.size === 1),
    unusable,
    contexts: new Map([...contexts.values()].map((context) => [context.name, oneContext(context, clusters, users)])),
  };
}

/**
 * The cluster that people sign in to with their own tokens, with this token as the only credentials: the kubeconfig's current
 * context without its user, or the cluster that runs this pod.
 * @throws AppError invalid_input like readKubeContexts, and if the pod has no CA to verify the API server with.
 */
export function readBearerContext(token: string, env: Env = readEnv()): KubeContexts {
  const { name, cluster } = kubeconfigFiles(env).length > 0 ? currentCluster(env) : podCluster(env);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: cluster ? [{ ...cluster, name }] : [],
    users: [{ name, token }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  return { current: name, isNamed: true, contexts: new Map([[name, config]]), unusable: new Map() };
}

function currentCluster(env: Env): { name: string; cluster: Cluster | null } {
  const { current, isNamed, contexts } = readKubeContexts(env);
  if (!isNamed) {
    throw new AppError("invalid_input", "The kubeconfig has no valid current-context, so nobody knows which cluster to sign in to.", {
      nextStep: "Set it with: kubectl config use-context NAME",
    });
  }
  return { name: current, cluster: contexts.get(current)?.getCurrentCluster() ?? null };
}

function podCluster({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, CRDSHIFT_CLUSTER_CA: caFile }: Env) {
  if (!host) {
    throw new AppError("invalid_input", "There is no cluster to sign in to.", {
      nextStep: "Set KUBECONFIG to a file whose current context is that cluster, or run in a pod.",
    });
  }
  if (!caFile || !existsSync(caFile)) {
    throw new AppError("invalid_input", `CRDSHIFT_CLUSTER_CA ${caFile ? `points to ${caFile}, which doesn't exist` : "is not set"}.`, {
      nextStep: "Mount the ConfigMap kube-root-ca.crt, which every namespace has, and set CRDSHIFT_CLUSTER_CA to the file's path.",
    });
  }
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return { name: IN_CLUSTER, cluster: { name: IN_CLUSTER, server, caFile, skipTLSVerify: false } };
}

interface ParsedFile {
  clusters: Cluster[];
  users: User[];
  contexts: Context[];
  currentContext: string;
  /** Users whose impersonation client-node would drop. */
  impersonating: string[];
}

/** The files as last read: parsing takes longer than any other part of a short request. */
const parsedFiles = new Map<string, { text: string; parsed: ParsedFile }>();

function readFile(file: string): ParsedFile {
  try {
    const text = textOf(file);
    const known = parsedFiles.get(file);
    const parsed = known?.text === text ? known.parsed : parseFile(file, text);
    if (parsed !== known?.parsed) parsedFiles.set(file, { text, parsed });
    // client-node writes renewed tokens into the objects it gets.
    return structuredClone(parsed);
  } catch (error) {
    throw new AppError("invalid_input", `${file} is not a readable kubeconfig: ${reasonOf(error)}`, {
      nextStep: "Check it with `kubectl config view`, or start with --demo.",
      cause: error,
    });
  }
}

/** What a file holds. Another process's pipe is empty once it is read, and every request reads the kubeconfig. */
function textOf(file: string): string {
  if (!file.startsWith("/dev/") || statSync(file).isFile()) return readFileSync(file, "utf8");
  const read = processWide("kubeconfigs-from-pipes", () => new Map<string, string>());
  const text = read.get(file) ?? readFileSync(file, "utf8");
  if (text !== "") read.set(file, text);
  return text;
}

function parseFile(file: string, text: string): ParsedFile {
  const config = new KubeConfig();
  config.loadFromString(text, { onInvalidEntry: "filter" });
  config.makePathsAbsolute(dirname(file));
  const users = rawUsers.parse(parse(text)).users ?? [];
  return {
    clusters: config.clusters,
    users: config.users.map((user) => withTokenFile(user, users, dirname(file))),
    contexts: config.contexts,
    currentContext: config.currentContext,
    impersonating: usersWithGroupImpersonation(users),
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll("\n", " ");
  return errorMessage(error).split("\n")[0] ?? "";
}

const rawUsers = z.object({
  users: z.array(z.object({ name: z.string(), user: z.record(z.string(), z.unknown()).nullish() })).nullish(),
});
type RawUsers = NonNullable<z.infer<typeof rawUsers>["users"]>;

// client-node sends Impersonate-User but silently drops groups, uid and extra: such a context would act as another user.
function usersWithGroupImpersonation(users: RawUsers): string[] {
  const impersonates = (user: Record<string, unknown>) => ["as-groups", "as-uid", "as-user-extra"].some((key) => key in user);
  return users.filter(({ user }) => user && impersonates(user)).map(({ name }) => name);
}

// client-node looks for token-file, which kubectl doesn't know, and drops tokenFile: such a user would be anonymous. As in kubectl,
// tokenFile takes precedence over token, and its path is relative to the kubeconfig.
function withTokenFile(user: User, users: RawUsers, directory: string): User {
  const tokenFile = users.find(({ name }) => name === user.name)?.user?.tokenFile;
  if (typeof tokenFile !== "string" || !tokenFile) return user;
  const { token: _, ...rest } = user;
  return { ...rest, authProvider: { name: "tokenFile", config: { tokenFile: resolve(directory, tokenFile) } } };
}

const authProvider = z.object({ name: z.unknown(), config: z.record(z.string(), z.unknown()).nullish() });

// client-node waits for the command of gcp and azure with the whole process, and hands each of them crdshift's own secrets.
function hasCommandProvider(user: User | undefined): boolean {
  const { name, config } = authProvider.safeParse(user?.authProvider).data ?? {};
  return name === "exec" || Boolean(config?.["cmd-path"] || config?.exec);
}

/** What a command that signs in has no use for, and inherits otherwise. */
const KEPT_FROM_COMMANDS = ["CRDSHIFT_TOKEN", "CRDSHIFT_SESSION_KEYS"].map((name) => ({ name, value: "" }));

// client-node caches exec and OIDC tokens by user name, so every context gets its own user.
function oneContext(context: Context, clusters: Map<string, Cluster>, users: Map<string, User>): KubeConfig {
  const cluster = clusters.get(context.cluster);
  const user = users.get(context.user);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: cluster ? [cluster] : [],
    users: user
      ? [
          {
            ...user,
            name: context.name,
            ...(user.exec && { exec: { ...user.exec, env: [...KEPT_FROM_COMMANDS, ...(user.exec.env ?? [])] } }),
          },
        ]
      : [],
    contexts: [{ ...context, user: context.name }],
    currentContext: context.name,
  });
  return config;
}

function inClusterContext(): KubeContexts {
  const config = new KubeConfig();
  config.loadFromCluster();
  return { current: IN_CLUSTER, isNamed: true, contexts: new Map([[IN_CLUSTER, config]]), unusable: new Map() };
}

function firstOfEachName<T extends { name: string }>(items: T[]): Map<string, T> {
  const byName = new Map<string, T>();
  for (const item of items) if (!byName.has(item.name)) byName.set(item.name, item);
  return byName;
}
