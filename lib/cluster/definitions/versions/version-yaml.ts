import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { ExactNumber, exactText, NESTING_MAX, nestsWithin, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { annotationOf } from "#lib/domain/versions/patch-step.ts";
import { isVersionSpec, REMOVED_ANNOTATION, type VersionSpec, versionSpec } from "#lib/domain/versions/version-spec.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { removedSpecOf } from "./removed-version.ts";
import type { YamlJob, YamlResult } from "./yaml-worker.ts";

/** Half a megabyte of a real definition takes a fifth of a second; on a busy machine, many times that. */
const JOB_WITHIN_MS = 10_000;
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };
/**
 * Each field or item takes at least one of these, and texts have some, too. A worker that runs out of memory may end the whole process, and
 * a megabyte of empty lists takes 250 MB.
 */
const SEPARATORS = /[\n,[{!&*]|[-?]\s/g;
const MOST_SEPARATORS = 100_000;
/** What else may be a token, of which the parser keeps each, and its errors. Of JSON, each text has two. */
const OTHER_TOKENS = /[\]}"'\r]|:\s/g;
const MOST_OTHER_TOKENS = 200_000;
const TOO_MANY = { problem: `It has more than ${MOST_SEPARATORS.toLocaleString("en-US")} lines and items.` };
/** Each worker takes a core. */
const MOST_WORKERS = 2;
const MOST_WAITING = 4;

/**
 * An entry of spec.versions as readable YAML; integers of any size stay exact. `person` asks for it.
 * @throws AppError too_large if it is nested deeper than any real one, too_many_requests if the person
 * has four waiting. Throws the signal's reason.
 */
export async function versionYaml(person: string, spec: VersionSpec, signal: AbortSignal): Promise<string> {
  if (!nestsWithin(spec)) {
    throw new AppError("too_large", `${spec.name} is nested more than ${NESTING_MAX} levels deep, so crdshift doesn't write it as YAML.`, {
      nextStep: "Read it with kubectl get crd -o json.",
    });
  }
  // Before it becomes text, which takes half a second for a definition of the largest size.
  if (hasManyValues(spec)) return done(TOO_MANY);
  return done(await inWorker(person, { kind: "write", json: exactText(spec) }, signal));
}

/**
 * Parses YAML as one entry of spec.versions.
 * @throws AppError invalid_input with the line, if it isn't one, is another version's, or is larger than any definition;
 * too_many_requests if the person has four waiting. Throws the signal's reason.
 */
export async function versionSpecFromYaml(person: string, yaml: string, version: string, signal: AbortSignal): Promise<VersionSpec> {
  const spec = parseExactJson(done(await inWorker(person, { kind: "read", yaml, version }, signal)));
  if (!isVersionSpec(spec)) throw new Error("The worker returned something other than an entry of spec.versions.");
  return spec;
}

function done(result: YamlResult): string {
  if ("text" in result) return result.text;
  throw new AppError("invalid_input", `The YAML can't be used: ${result.problem}`, {
    nextStep: "Send the spec.versions entry as it was saved when the version was removed.",
  });
}

/** Beside the event loop, because a person's YAML may take seconds, in which nobody else would get an answer. */
async function inWorker(person: string, job: YamlJob, signal: AbortSignal): Promise<YamlResult> {
  if (hasMore(job.kind === "read" ? job.yaml : job.json, SEPARATORS, MOST_SEPARATORS)) return TOO_MANY;
  if (job.kind === "read" && hasMore(job.yaml, OTHER_TOKENS, MOST_OTHER_TOKENS)) return TOO_MANY;
  const turns = processWide("yaml-turns", () => noTurns(MOST_WORKERS));
  return inTurn(turns, { person, mostAtWork: 1, waiting: { most: MOST_WAITING, tooMany } }, signal, async () => {
    const worker = new Worker(new URL("./yaml-worker.ts", import.meta.url), { workerData: job, resourceLimits: MEMORY });
    // Once the signal aborts, nobody else listens, and an error that comes later would end this process.
    worker.on("error", () => {});
    try {
      // Rejects with the worker's error, if it has one.
      const [result] = await once(worker, "message", { signal: AbortSignal.any([signal, AbortSignal.timeout(JOB_WITHIN_MS)]) });
      return result;
    } catch {
      signal.throwIfAborted();
      return { problem: "Reading it takes too long, or too much memory." };
    } finally {
      await worker.terminate();
    }
  });
}

/** Whether there are too many for YAML; looks at no more than that. */
function hasManyValues(spec: VersionSpec): boolean {
  const left: unknown[] = [spec];
  for (let seen = 0; left.length > 0; seen += 1) {
    if (seen + left.length > MOST_SEPARATORS) return true;
    const value = left.pop();
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) continue;
    for (const inner of Object.values(value)) left.push(inner);
  }
  return false;
}

function hasMore(text: string, of: RegExp, most: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(of)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

function tooMany(): AppError {
  return new AppError(
    "too_many_requests",
    `${MOST_WAITING} of your requests for a version's YAML are waiting already, which is the limit.`,
    {
      nextStep: "Try again once they have ended.",
    },
  );
}

/**
 * A version's entry of spec.versions as YAML, from the spec, or from the copy that its removal kept.
 * @throws AppError not_found if the definition has neither.
 */
export async function readVersionYaml(connection: Connection, crdName: string, version: string, signal: AbortSignal): Promise<string> {
  const { exact } = await readExactCrd(connection, crdName, signal);
  const spec = versionSpec(exact, version) ?? removedSpecOf(annotationOf(exact, REMOVED_ANNOTATION), version);
  if (spec) return versionYaml(connection.person(), spec, signal);
  throw new AppError("not_found", `${crdName} has no version ${version}, and no saved copy of one.`, {
    nextStep: "See the definition's page for its versions.",
  });
}
