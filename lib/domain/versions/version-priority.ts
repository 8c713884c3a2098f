/**
 * Versions in Kubernetes' priority order, the preferred candidate first: GA before beta before alpha, then major, then
 * minor number, all descending; names that don't parse come last, in alphabetical order.
 * Source: kubernetes.io "Versions in CustomResourceDefinitions" and apimachinery/pkg/version/helpers.go.
 */
export function versionPriorityOrder<Version extends { name: string }>(versions: readonly Version[]): readonly Version[] {
  // A list is put in order once: a definition may have thousands, and a page asks for their order several times.
  const known = orders.get(versions);
  // It was made of this very list.
  if (known) return known as readonly Version[];
  // Parsed once each, because each is compared a dozen times.
  const parsed = versions.map((version) => ({ version, ...parsedName(version.name) }));
  const order = parsed.sort(comparePriority).map(({ version }) => version);
  orders.set(versions, order);
  return order;
}

const orders = new WeakMap<readonly { name: string }[], readonly { name: string }[]>();

/** Negative when `a` comes before `b` in priority order. */
export function compareVersionPriority(a: string, b: string): number {
  return comparePriority(parsedName(a), parsedName(b));
}

interface ParsedName {
  name: string;
  /** Undefined if it doesn't parse. */
  parts: KubernetesVersion | undefined;
}

function parsedName(name: string): ParsedName {
  return { name, parts: parseKubernetesVersion(name) };
}

function comparePriority({ name: a, parts: left }: ParsedName, { name: b, parts: right }: ParsedName): number {
  if (!left && !right) return a < b ? -1 : a > b ? 1 : 0;
  if (!left) return 1;
  if (!right) return -1;
  return right.stability - left.stability || compareBigInts(right.major, left.major) || compareBigInts(right.minor, left.minor);
}

/** Explains a version's place in priority order, for people. */
export function versionPriorityReason(name: string): string {
  const parsed = parseKubernetesVersion(name);
  if (!parsed) return "not in the form v<number>[alpha|beta<number>]: sorts last, alphabetically";
  const stability = parsed.stability === 3 ? "GA" : parsed.stability === 2 ? "beta" : "alpha";
  const numbers = parsed.stability === 3 ? `major ${parsed.major}` : `major ${parsed.major}, ${stability} ${parsed.minor}`;
  return `${stability}, ${numbers}`;
}

interface KubernetesVersion {
  stability: 3 | 2 | 1;
  major: bigint;
  minor: bigint;
}

const MAX_GO_INT = 2n ** 63n - 1n;

function parseKubernetesVersion(name: string): KubernetesVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name);
  if (!match?.[1]) return undefined;
  const major = BigInt(match[1]);
  const minor = BigInt(match[3] ?? "0");
  // The API server reads both numbers with strconv.Atoi and treats an overflow as a name that doesn't parse.
  if (major > MAX_GO_INT || minor > MAX_GO_INT) return undefined;
  return { stability: match[2] === "alpha" ? 1 : match[2] === "beta" ? 2 : 3, major, minor };
}

function compareBigInts(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
