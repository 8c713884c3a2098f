import { parentPort, workerData } from "node:worker_threads";
import { isAlias, isCollection, isMap, isPair, isScalar, LineCounter, type Node, parseDocument, stringify } from "yaml";
import { errorMessage } from "#lib/contract/app-error.ts";
import {
  type ExactJson,
  ExactNumber,
  exactJson,
  exactText,
  isExactObject,
  NESTING_MAX,
  nestsWithin,
  parseExactJson,
} from "#lib/domain/exact-json/exact-json.ts";
import { isVersionSpec } from "#lib/domain/versions/version-spec.ts";

/** What a worker does: reads one entry of spec.versions from YAML as exact JSON text, or writes such text as readable YAML. */
export type YamlJob = { kind: "read"; yaml: string; version: string } | { kind: "write"; json: string };

export type YamlResult = { text: string } | { problem: string };

/** More than a definition has that etcd takes, at 1.5 MiB. */
const MOST_NODES = 50_000;
const TOO_DEEP = `It is nested more than ${NESTING_MAX} levels deep.`;
const TOO_MANY = `It has more than ${MOST_NODES.toLocaleString("en-US")} fields and items.`;

class Unusable extends Error {}

/** Does the job, or says in a sentence why the YAML can't be used. Its time grows with the text's length, not faster. */
export function runYamlJob(job: YamlJob): YamlResult {
  try {
    return { text: job.kind === "read" ? read(job.yaml, job.version) : write(job.json) };
  } catch (error) {
    // Nesting too deep for the stack throws a RangeError.
    return { problem: error instanceof RangeError ? TOO_DEEP : errorMessage(error) };
  }
}

function read(yaml: string, version: string): string {
  const lines = new LineCounter();
  // Its own search for keys that appear twice compares each with all others, and its pretty errors copy their line for each.
  const document = parseDocument<Node>(yaml, { intAsBigInt: true, uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const [problem] = document.errors;
  if (problem?.code === "MULTIPLE_DOCS") throw new Unusable("It contains more than one document.");
  if (problem?.code === "RESOURCE_EXHAUSTION") throw new Unusable(TOO_DEEP);
  if (problem) throw new Unusable(`${problem.message}, at line ${lines.linePos(problem.pos[0]).line}.`);
  checkNodes(document.contents, (node) => lines.linePos(node.range?.[0] ?? 0).line);
  const content: unknown = document.toJS();
  if (!nestsWithin(content)) throw new Unusable(TOO_DEEP);
  const spec = exactJson(content);
  if (!isVersionSpec(spec))
    throw new Unusable("It is not a single spec.versions entry with a name, and with a schema or the flags served and storage.");
  if (spec.name !== version) throw new Unusable(`It is ${spec.name}, not ${version}.`);
  return exactText(spec);
}

function checkNodes(root: Node | null, lineOf: (node: Node) => number): void {
  const left: unknown[] = [root];
  for (let seen = 0; left.length > 0; seen += 1) {
    if (seen > MOST_NODES) throw new Unusable(TOO_MANY);
    const node = left.pop();
    // Each may stand for a megabyte, a hundred times.
    if (isAlias(node)) throw new Unusable(`It has an alias, *${node.source}, at line ${lineOf(node)}. Write out what it stands for.`);
    if (!isCollection(node)) continue;
    const keys = new Set<string>();
    for (const item of node.items) {
      left.push(isPair(item) ? item.value : item);
      if (!isMap(node) || !isPair(item)) continue;
      if (!isScalar(item.key)) throw new Unusable(`A key at line ${lineOf(node)} is not a plain word.`);
      const key = String(item.key.value);
      if (keys.has(key)) throw new Unusable(`The key ${key} appears twice at line ${lineOf(item.key)}.`);
      keys.add(key);
    }
  }
}

function write(json: string): string {
  return stringify(yamlValue(parseExactJson(json)), { intAsBigInt: true, lineWidth: 0, aliasDuplicateObjects: false });
}

// Whole numbers of any size stay as they are; in YAML, 1.0 is 1.
function yamlValue(value: ExactJson): unknown {
  if (value instanceof ExactNumber) return /^-?\d+$/.test(value.text) ? BigInt(value.text) : Number(value.text);
  if (Array.isArray(value)) return value.map(yamlValue);
  if (!isExactObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, yamlValue(item)]));
}

// The sender is version-yaml.ts, which sends exactly this.
parentPort?.postMessage(runYamlJob(workerData as YamlJob));
