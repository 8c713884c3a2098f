import { clsx } from "clsx";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table/data-table.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { type CheckName, checkNames, type DryRunCheck } from "#lib/domain/losses/dry-run.ts";

const columns = [{ name: "Check" }, { name: "Result" }, { name: "Finding" }];

const looks: Record<DryRunCheck["status"], { sign: string; word: string; colour: string }> = {
  pass: { sign: "✓", word: "pass", colour: "text-good" },
  warn: { sign: "▲", word: "warning", colour: "text-warning" },
  fail: { sign: "✕", word: "fail", colour: "text-blocked" },
};

/** The checks of the cluster, which come before any object is tried. Every check has its row from the start, so the layout stays put. */
export function ChecksSection({ dryRun }: { dryRun: DryRun }) {
  return (
    <Section title="Checks" aside={<p>The cluster and the definition.</p>}>
      <DataTable label="Checks" columns={columns}>
        {checkNames.map((name) => (
          <CheckRow key={name} name={name} checks={dryRun.checks} running={dryRun.phase === "running"} />
        ))}
      </DataTable>
    </Section>
  );
}

function CheckRow({ name, checks, running }: { name: CheckName; checks: DryRunCheck[]; running: boolean }) {
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
          <DataCell className={clsx("whitespace-nowrap", looks[status].colour)}>
            <span aria-hidden>{looks[status].sign}</span> {looks[status].word}
          </DataCell>
          <DataCell className="min-w-40 [overflow-wrap:anywhere] text-ink-soft sm:min-w-72">
            <span dir="auto">{message}</span>
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
