import { distance } from "fastest-levenshtein";

/** Names that differ by more letters count as different words. */
const MOST_WRONG = 3;
/**
 * The variables that the kubelet and Docker set for a Service named crdshift:
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const OF_SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/;

/** The variables that are set and start with the settings' prefix, but aren't settings; each with the closest setting, if any. */
export function misspelt(
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
