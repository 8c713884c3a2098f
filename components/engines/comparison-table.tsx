import type { ReactNode } from "react";

export interface EngineRow {
  question: string;
  crdshift: ReactNode;
  inTree: ReactNode;
}

const crdshift = "crdshift";
const inTree = "The cluster's own";

/** The engines side by side; on a narrow screen one below the other, question by question. */
export function ComparisonTable({ children }: { children: ReactNode }) {
  return (
    <table aria-label="The engines compared" className="w-full text-sm max-md:block">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-left text-xs text-ink-soft">
          <th scope="col" className="h-8 w-44 pr-4 font-medium">
            Question
          </th>
          <th scope="col" className="h-8 pr-6 font-medium">
            {crdshift}
          </th>
          <th scope="col" className="h-8 font-medium">
            {inTree} (StorageVersionMigration)
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-md:block">{children}</tbody>
    </table>
  );
}

export function ComparisonRow({ question, ...answers }: EngineRow) {
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-2 pr-4 text-left font-medium max-md:block max-md:py-1">
        {question}
      </th>
      <Answer engine={crdshift}>{answers.crdshift}</Answer>
      <Answer engine={inTree}>{answers.inTree}</Answer>
    </tr>
  );
}

function Answer({ engine, children }: { engine: string; children: ReactNode }) {
  return (
    <td className="py-2 [overflow-wrap:anywhere] max-md:grid max-md:grid-cols-[7rem_1fr] max-md:gap-x-2 max-md:py-1 md:w-1/2 md:pr-6 md:last:pr-0">
      <span aria-hidden className="text-xs leading-5 text-ink-soft md:hidden">
        {engine}
      </span>
      <span>{children}</span>
    </td>
  );
}
