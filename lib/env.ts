import { z } from "zod";

const port = z.coerce.number("expected a number").int("expected a whole number").min(0).max(65_535);

/** URLs of hosts, separated by commas; read as origins. */
const endpoints = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((endpoint) => endpoint.trim()))
  .transform((list) => list.filter((endpoint) => endpoint !== ""))
  .refine((list) => list.every(isOrigin), "expected URLs such as https://10.0.0.1:2379, separated by commas")
  .transform((list) => list.map((endpoint) => new URL(endpoint).origin));

/** As kube-apiserver reads its --etcd-prefix: with one slash before each part and none at the end. */
const keyPrefix = z
  .string()
  .default("/registry")
  .transform((text) => text.split("/").filter((part) => part !== ""))
  .transform((parts) => parts.map((part) => `/${part}`).join(""));

const schema = z
  .object({
    PORT: port.default(3000),
    HOST: z.string().min(1).default("127.0.0.1"),
    /** One or more files, as kubectl reads it. */
    KUBECONFIG: z.string().default(""),
    HOME: z.string().default(""),
    /** Set by the kubelet in every container. */
    KUBERNETES_SERVICE_HOST: z.string().default(""),
    /** Seconds to wait after the last change of a spec. Lower it only where no slow request can be in flight. */
    CRDSHIFT_SETTLE_SECONDS: z.coerce.number("expected a number of seconds").min(0).default(65),
    /** The client endpoints of the etcd behind an API server, for exact counts; empty for none. */
    CRDSHIFT_ETCD_ENDPOINTS: endpoints,
    /** PEM files: what verifies etcd's certificate, and the client's own certificate with its key. */
    CRDSHIFT_ETCD_CACERT: z.string().default(""),
    CRDSHIFT_ETCD_CERT: z.string().default(""),
    CRDSHIFT_ETCD_KEY: z.string().default(""),
    /** Under which the API server keeps everything. */
    CRDSHIFT_ETCD_PREFIX: keyPrefix,
    NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
  })
  .superRefine((env, context) => {
    const problem = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    const { CRDSHIFT_ETCD_CACERT: ca, CRDSHIFT_ETCD_CERT: cert, CRDSHIFT_ETCD_KEY: key } = env;
    if (cert && !key) problem("CRDSHIFT_ETCD_CERT", "needs CRDSHIFT_ETCD_KEY beside it");
    if (key && !cert) problem("CRDSHIFT_ETCD_KEY", "needs CRDSHIFT_ETCD_CERT beside it");
    if ((ca || cert || key) && env.CRDSHIFT_ETCD_ENDPOINTS.length === 0) {
      problem("CRDSHIFT_ETCD_ENDPOINTS", "is empty, though certificates for etcd are set");
    }
  });

export type Env = z.infer<typeof schema>;

/**
 * The environment, checked. The only place that reads process.env.
 * @throws Error that lists every variable that is wrong and what to set.
 */
export function readEnv(variables: Record<string, string | undefined> = process.env): Env {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The environment has values that can't be used:\n${problems.join("\n")}\nCorrect them, or unset them for the defaults.`);
}

/** From now on the clusters are those of this file: the demo's, or a test's. */
export function chooseKubeconfig(file: string): void {
  process.env.KUBECONFIG = file;
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
}
