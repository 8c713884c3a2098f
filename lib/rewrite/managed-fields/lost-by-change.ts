import type { NextTurn } from "#lib/async/in-turn-by-length.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunManagedFieldsText, readObjectText } from "#lib/cluster/objects/custom-objects.ts";
import { inLongAnswersTurn } from "#lib/cluster/transport/long-answers.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type ExactJson, parseObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses } from "#lib/domain/losses/field-losses.ts";
import { holdsBack, lossVerbs, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import { knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { hasMoved, MAX_ATTEMPTS, type ManagedFieldsChange } from "./change-managed-fields.ts";

interface Changing {
  connection: Connection;
  crd: Crd;
  version: string;
  gate: Gate;
  pacer: Pacer;
  throughStatus?: boolean;
  /** Which losses are accepted; none by default. */
  guard?: { isOff: boolean; accepts(loss: ObjectLoss): boolean };
  runId?: string;
  onPatch?: OnPatch;
  signal: AbortSignal;
}

/**
 * What the object would lose, beyond managedFields, by the change of them that was `tried` as a dry run: a webhook or policy may change
 * objects only with writes that change something, which the check of a plain patch doesn't show. Null if nothing would be lost. Only a
 * dry run that raised the generation, or changed other metadata, can have shown that: a change of managedFields alone does neither.
 * Throws the cluster's error after ten conflicts, and GateHeld if the gate is held before all requests are sent.
 */
export async function lostByChange(changing: Changing, object: ObjectName, tried: ManagedFieldsChange): Promise<ObjectLoss | null> {
  const { connection, crd, version, gate, throughStatus, guard, runId, onPatch, signal } = changing;
  if (!tried.altered || guard?.isOff) return null;
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }), ...(throughStatus && { throughStatus }) };
  const read = async () => {
    await gate.whenReleased(signal);
    const text = await readObjectText(connection, crd, version, object, options);
    return { text, resourceVersion: await inLongAnswersTurn(text, connection, signal, () => resourceVersionOf(parseObject(text))) };
  };
  const schema = (await knownSchemas(changing))(version);
  for (let attempt = 1; ; attempt += 1) {
    // Kept as text while the other is asked for: parsed, a large one takes up to twenty times its bytes.
    const { text: before, resourceVersion } = await read();
    try {
      await gate.whenReleased(signal);
      const change = { resourceVersion, managedFields: tried.sent };
      const after = await dryRunManagedFieldsText(connection, crd, version, object, change, options);
      const longer = before.length > after.length ? before : after;
      const losses = await inLongAnswersTurn(longer, connection, signal, (nextTurn) => lossesBetween(before, after, { schema, nextTurn }));
      return losses.find((loss) => holdsBack(loss.kind) && !guard?.accepts(loss)) ?? null;
    } catch (error) {
      const hasChanged = await hasMoved(error, resourceVersion, async () => (await read()).resourceVersion);
      if (!hasChanged || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

async function lossesBetween(
  textBefore: string,
  textAfter: string,
  { schema, nextTurn }: { schema: ExactJson | undefined; nextTurn: NextTurn },
): Promise<ObjectLoss[]> {
  const before = parseObject(textBefore);
  await nextTurn();
  const after = parseObject(textAfter);
  await nextTurn();
  return fieldLosses(before, after, schema);
}

/** Why an object was left unchanged that would lose something by a change of its managedFields. */
export function lostByChangeWords({ path, kind }: ObjectLoss): string {
  return (
    `${path} ${lossVerbs[kind]}, because a webhook or policy changes the object when its managedFields are written, though not with a ` +
    "patch that changes nothing. The object was left unchanged. Exempt crdshift's user from it, or turn it off, then retry."
  );
}
