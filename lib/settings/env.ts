import { distance } from "fastest-levenshtein";
import { z } from "zod";

const port = z.coerce.number("expected a number").int("expected a whole number").min(0).max(65_535);

/** Host URLs, separated by commas; parsed as origins. */
const endpoints = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((endpoint) => endpoint.trim()))
  .transform((list) => list.filter((endpoint) => endpoint !== ""))
  .refine((list) => list.every(isOrigin), "expected URLs such as https://10.0.0.1:2379, separated by commas")
  .transform((list) => list.map((endpoint) => new URL(endpoint).origin));

/** Normalized like kube-apiserver's --etcd-prefix: one slash before each part and none at the end. */
const keyPrefix = z
  .string()
  .default("/registry")
  .transform((text) => text.split("/").filter((part) => part !== ""))
  .transform((parts) => parts.map((part) => `/${part}`).join(""));

/** Public origins, separated by commas: the addresses that people type, without a path. */
const origins = endpoints.refine(
  (list) => list.every((origin) => origin.startsWith("https:") || isLoopbackOrigin(origin)),
  "expected https origins: the sign-in cookie must not travel over plain http",
);

/** 32-byte keys in base64, separated by commas: the first seals, both unseal. */
const sessionKeys = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((key) => key.trim()))
  .transform((list) => list.filter((key) => key !== "").map((key) => Buffer.from(key, "base64")))
  .refine((list) => list.length <= 2, "expected one key, or two during a rotation")
  .refine((list) => list.every((key) => key.length === 32), "expected 32-byte keys in base64: openssl rand -base64 32");

/** Patterns for definition names, separated by commas. */
const namePatterns = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((pattern) => pattern.trim()))
  .transform((list) => list.filter((pattern) => pattern !== ""))
  .refine(
    (list) => list.every((pattern) => /^[a-z0-9.*-]+$/.test(pattern)),
    "expected definition names in lower case, separated by commas, with * for any characters, such as *.cert-manager.io,crontabs.example.com",
  );

const onOff = z
  .enum(["true", "false", "1", "0", "on", "off"], "expected true or false")
  .default("false")
  .transform((value) => ["true", "1", "on"].includes(value));

const schema = z
  .object({
    PORT: port.default(3000),
    HOST: z.string().min(1).default("127.0.0.1"),
    /** One or more files, as for kubectl. */
    KUBECONFIG: z.string().default(""),
    HOME: z.string().default(""),
    /** In its `crdshift` folder: the key that signs evidence without CRDSHIFT_SESSION_KEYS. Empty is `.local/state` in HOME. */
    XDG_STATE_HOME: z.string().default(""),
    /** Set by the kubelet in every container. */
    KUBERNETES_SERVICE_HOST: z.string().default(""),
    KUBERNETES_SERVICE_PORT: z.string().regex(/^\d+$/, "expected a number").default("443"),
    /** Who is let in, and with whose permissions; see lib/sign-in/mode.ts. Empty outside of a container is `local`. */
    CRDSHIFT_MODE: z.enum(["", "local", "token", "unsafe-shared-readonly"], "expected local, token or unsafe-shared-readonly").default(""),
    /** Set by the image: a container's HOST is never loopback, and its mode must be set. */
    CRDSHIFT_CONTAINER: onOff,
    /** The token that scripts use to sign in to `local`. */
    CRDSHIFT_TOKEN: z
      .string()
      .regex(/^\S{16,}$/, "expected at least 16 characters without spaces")
      .or(z.literal(""))
      .default(""),
    /** In `token`, the header in which a proxy sends the token of the user it signed in; empty for none. */
    CRDSHIFT_TOKEN_HEADER: z
      .string()
      .regex(/^[a-z0-9-]*$/i, "expected a header name")
      .transform((name) => name.toLowerCase())
      .default(""),
    /** The https addresses where people reach it, besides loopback. */
    CRDSHIFT_ORIGINS: origins,
    /** Keys that seal the cookie; without one, each start makes a new key and ends all sessions. */
    CRDSHIFT_SESSION_KEYS: sessionKeys,
    /** Separates the cookies of two crdshifts at one address; defaults to the port. */
    CRDSHIFT_INSTANCE: z
      .string()
      .regex(/^[a-z0-9-]{0,32}$/, "expected up to 32 characters from a-z, 0-9 and -")
      .default(""),
    /** Allows no changes to a cluster. */
    CRDSHIFT_READ_ONLY: onOff,
    /** Definitions that can be changed only with their name and a reason. */
    CRDSHIFT_PROTECTED: namePatterns,
    /** Lets anyone who can reach the port read GET /metrics, signed in or not. */
    CRDSHIFT_METRICS: onOff,
    /** The PEM file that verifies the API server, in a pod without a service account token. */
    CRDSHIFT_CLUSTER_CA: z.string().default(""),
    /** Seconds to wait after the last spec change. Lower it only if no slow request can be in flight. */
    CRDSHIFT_SETTLE_SECONDS: z.coerce.number("expected a number of seconds").min(0).default(65),
    /** The client endpoints of the etcd behind an API server, for exact counts; empty for none. */
    CRDSHIFT_ETCD_ENDPOINTS: endpoints,
    /** PEM files: the CA for etcd's certificate, and the client's certificate and key. */
    CRDSHIFT_ETCD_CACERT: z.string().default(""),
    CRDSHIFT_ETCD_CERT: z.string().default(""),
    CRDSHIFT_ETCD_KEY: z.string().default(""),
    /** The prefix of all the API server's keys. */
    CRDSHIFT_ETCD_PREFIX: keyPrefix,
    NODE_ENV: z.enum(["development", "production", "test"], "expected development, production or test").default("production"),
  })
  .superRefine((env, context) => {
    const problem = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    const { CRDSHIFT_ETCD_CACERT: ca, CRDSHIFT_ETCD_CERT: cert, CRDSHIFT_ETCD_KEY: key } = env;
    if (cert && !key) problem("CRDSHIFT_ETCD_CERT", "also needs CRDSHIFT_ETCD_KEY");
    if (key && !cert) problem("CRDSHIFT_ETCD_KEY", "also needs CRDSHIFT_ETCD_CERT");
    if ((ca || cert || key) && env.CRDSHIFT_ETCD_ENDPOINTS.length === 0) {
      problem("CRDSHIFT_ETCD_ENDPOINTS", "is empty, but etcd certificates are set");
    }
  });

export type Env = z.infer<typeof schema>;

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(schema.shape);

/** The environment as last read: parsing it takes longer than anything else that finding out who asks always needs. */
let known: { values: readonly (string | undefined)[]; env: Env } | null = null;

/**
 * The validated environment. Apart from lib/server/bootstrap and lib/local-cluster/environment.ts, nothing else reads process.env.
 * @throws Error that lists every invalid variable and what to set.
 */
export function readEnv(variables?: Record<string, string | undefined>): Env {
  if (variables) return parseEnv(variables);
  const values = settingNames.map((name) => process.env[name]);
  if (!known?.values.every((value, index) => value === values[index])) known = { values, env: parseEnv(process.env) };
  return known.env;
}

function parseEnv(variables: Record<string, string | undefined>): Env {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`Some environment variables are invalid:\n${problems.join("\n")}\nFix them, or unset them to use the defaults.`);
}

/**
 * A line for every variable that is named like a crdshift setting but isn't one, and so has no effect. It isn't an error, since other
 * programs may use such names too.
 */
export function unknownSettings(variables: Record<string, string | undefined> = process.env): string[] {
  return misspelled(variables, settingNames).map(
    ({ name, meant }) =>
      `${name} is not a setting and has no effect. ${meant ? `Did you mean ${meant}?` : "docs/settings.md lists the settings."}`,
  );
}

/** By name, what a setting's text was last read as. */
const lastRead = new Map<keyof Env, { text: string | undefined; value: Env[keyof Env] }>();

/**
 * One setting alone, for what is needed with every definition that is read: the same value as before, until its text changes. Throws like
 * readEnv if it is invalid.
 */
export function readSetting<Name extends keyof Env>(name: Name): Env[Name] {
  const text = process.env[name];
  const known = lastRead.get(name);
  // The schema of the name's field gives that field's type.
  if (known && known.text === text) return known.value as Env[Name];
  const parsed = schema.shape[name].safeParse(text === "" ? undefined : text);
  if (!parsed.success) return readEnv()[name];
  lastRead.set(name, { text, value: parsed.data });
  return parsed.data as Env[Name];
}

/** Uses the clusters of this file from now on: the demo's, or a test's. */
export function chooseKubeconfig(file: string): void {
  process.env.KUBECONFIG = file;
}

/** Waits this long after a spec change, unless the environment says otherwise: for the demo, where no slow request can be in flight. */
export function chooseSettleSeconds(seconds: number): void {
  process.env.CRDSHIFT_SETTLE_SECONDS ||= String(seconds);
}

/** Allows no changes to a cluster through this process from now on. */
export function chooseReadOnly(): void {
  process.env.CRDSHIFT_READ_ONLY = "true";
}

function isLoopbackOrigin(origin: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(origin);
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
}

/** Names that differ by more letters count as different words. */
const MOST_WRONG = 3;
/**
 * The variables that the kubelet and Docker set for a Service named crdshift:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const OF_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/;

/** The variables that are set and start with the settings' prefix, but aren't settings; each with the closest setting, if any. */
function misspelled(
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): { name: string; meant: string | null }[] {
  return Object.entries(variables)
    .filter(([name, value = ""]) => value !== "" && /^crdshift_/i.test(name) && !settings.includes(name) && !isOfService(name, value))
    .map(([name]) => ({ name, meant: nearest(name.toUpperCase(), settings) }));
}

function nearest(name: string, settings: readonly string[]): string | null {
  const ofEverybody = name.replace(/^CRDSHIFT_/, "");
  if (settings.includes(ofEverybody)) return ofEverybody;
  const [best] = settings.map((setting) => ({ setting, wrong: distance(name, setting) })).toSorted((one, other) => one.wrong - other.wrong);
  return best && best.wrong <= MOST_WRONG ? best.setting : null;
}

// A Service's CRDSHIFT_PORT is a URL.
function isOfService(name: string, value: string): boolean {
  return OF_SERVICE.test(name) || (name.endsWith("_PORT") && /^(tcp|udp|sctp):/.test(value));
}
