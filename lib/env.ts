import { z } from "zod";

const port = z.coerce.number("expected a number").int("expected a whole number").min(0).max(65_535);

const schema = z.object({
  PORT: port.default(3000),
  HOST: z.string().min(1).default("127.0.0.1"),
  /** One or more files, as kubectl reads it. */
  KUBECONFIG: z.string().default(""),
  HOME: z.string().default(""),
  /** Set by the kubelet in every container. */
  KUBERNETES_SERVICE_HOST: z.string().default(""),
  /** Seconds to wait after the last change of a spec. Lower it only where no slow request can be in flight. */
  CRDSHIFT_SETTLE_SECONDS: z.coerce.number("expected a number of seconds").min(0).default(65),
  NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
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
