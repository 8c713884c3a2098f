import { clsx } from "clsx";
import type { ObjectViewQuery } from "#components/hrefs.ts";
import { LossMark } from "#components/shared/loss-list.tsx";
import { ObjectLink } from "#components/shared/object-link.tsx";
import { useCommands } from "#components/shared/use-told.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { type CheckName, checkNames, type DryRunCheck } from "#lib/domain/losses/dry-run.ts";
import { formatMorePaths, type Loss, type LossExample, lossValues, worstFirst } from "#lib/domain/losses/losses.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { noLossWords } from "./no-loss-words.ts";

const checkColumns = [{ name: "Check" }, { name: "Result" }, { name: "Finding" }];

const looks: Record<DryRunCheck["status"], { sign: string; word: string; color: string }> = {
  pass: { sign: "✓", word: "pass", color: "text-good" },
  warn: { sign: "▲", word: "warning", color: "text-warning" },
  fail: { sign: "✕", word: "fail", color: "text-blocked" },
};

/** The checks of the cluster, which come before any object is tried. Every check has its row from the start, so the layout stays put. */
export function ChecksSection({ dryRun }: { dryRun: DryRun }) {
  return (
    <Section title="Checks" aside={<p>The cluster and the definition.</p>}>
      <DataTable label="Checks" columns={checkColumns}>
        {checkNames.map((name) => (
          <CheckRow key={name} name={name} checks={dryRun.checks} running={dryRun.phase === "running"} />
        ))}
      </DataTable>
    </Section>
  );
}

function CheckRow({ name, checks, running }: { name: CheckName; checks: DryRunCheck[]; running: boolean }) {
  const withCommands = useCommands();
  const own = checks.filter((check) => check.name === name);
  return (
    <>
      {own.length === 0 ? (
        <tr>
          <Name>{checkWords[name]}</Name>
          <DataCell className="whitespace-nowrap text-ink-faint italic">{running ? "not yet" : "not checked"}</DataCell>
          <DataCell>
            <span />
          </DataCell>
        </tr>
      ) : null}
      {own.map(({ status, message }) => (
        <tr key={`${status} ${message}`}>
          <Name>{checkWords[name]}</Name>
          <DataCell className={clsx("whitespace-nowrap", looks[status].color)}>
            <span aria-hidden>{looks[status].sign}</span> {looks[status].word}
          </DataCell>
          <DataCell className="min-w-40 [overflow-wrap:anywhere] text-ink-soft sm:min-w-72">
            <span dir="auto">{withCommands(message)}</span>
          </DataCell>
        </tr>
      ))}
    </>
  );
}

function Name({ children }: { children: string }) {
  return (
    <th scope="row" className="h-9 py-1.5 pr-2 text-left font-medium sm:whitespace-nowrap">
      {children}
    </th>
  );
}

/** Display names of the checks. */
const checkWords: Record<CheckName, string> = {
  permissions: "Permissions",
  conditions: "Definition conditions",
  engine: "Other engines",
  conversion: "Conversion",
  webhooks: "Admission webhooks",
  policies: "Admission policies",
  "watch-events": "Watch events",
};

const EXAMPLES = 3;

const lossColumns = [{ name: "Change" }, { name: "Field" }, { name: "Objects", numeric: true }, { name: "Examples" }];

/** What a rewrite would change in objects besides their storage version. Unknown losses never show as none. */
export function LossesSection({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const { losses, moreLosses, lossesKnown, lossesUnknownBecause, dryRun: outcome, phase } = dryRun;
  return (
    <Section
      title="Losses"
      aside={<p>The object before and after, at each served version. An example opens where it differs. List indexes are collapsed.</p>}
    >
      <div className="flex flex-col gap-4">
        {lossesKnown || phase === "running" ? null : (
          <Notice tone="warning" title={losses.length > 0 ? "Incomplete" : "Unknown"}>
            <p dir="auto">{lossesUnknownBecause ?? "The dry run did not finish."}</p>
          </Notice>
        )}
        {losses.length > 0 ? (
          <DataTable label="Losses" columns={lossColumns}>
            {worstFirst(losses).map((loss) => (
              <LossRow key={`${loss.kind} ${loss.path}`} cluster={cluster} dryRun={dryRun} loss={loss} />
            ))}
          </DataTable>
        ) : null}
        {moreLosses > 0 ? <p className="text-ink-soft">and {formatMorePaths(moreLosses)}, not listed</p> : null}
        {losses.length === 0 && phase === "running" ? <p className="text-ink-soft">None found so far.</p> : null}
        {losses.length === 0 && phase !== "running" && lossesKnown ? <p>{noLossWords(outcome)}</p> : null}
      </div>
    </Section>
  );
}

function LossRow({ cluster, dryRun, loss }: { cluster: string; dryRun: DryRun; loss: Loss }) {
  return (
    <tr>
      <DataCell>
        <LossMark kind={loss.kind} />
      </DataCell>
      <th scope="row" className="min-w-36 px-2 py-1.5 sm:min-w-56 text-left font-mono text-xs font-normal [overflow-wrap:anywhere]">
        {loss.path}
      </th>
      <DataCell numeric>
        {formatCount(loss.objects)}{" "}
        <span className="text-ink-faint">of {formatCount(dryRun.dryRun.wouldPass + dryRun.dryRun.onlyRead)}</span>
      </DataCell>
      <DataCell className="min-w-80 text-xs">
        <ul className="flex flex-col gap-y-2">
          {loss.examples.slice(0, EXAMPLES).map((example) => (
            <li key={fullName(example)} className="flex flex-wrap items-baseline gap-x-3">
              <ObjectLink cluster={cluster} crd={dryRun.crd} object={example} view={viewOf(example, loss, dryRun.storageVersion)} />
              <span className="font-mono [overflow-wrap:anywhere]">{lossValues(example)}</span>
            </li>
          ))}
        </ul>
      </DataCell>
    </tr>
  );
}

/** The example where it differs: at the version that showed the loss, beside the storage version, at the path. */
function viewOf({ version }: LossExample, { kind, path }: Loss, storageVersion: string): ObjectViewQuery {
  const hasLines = kind !== "managed-fields" && !path.endsWith("…");
  return {
    ...(version !== null && { version }),
    ...(version !== null && version !== storageVersion && { beside: storageVersion }),
    ...(hasLines && { at: path }),
  };
}
