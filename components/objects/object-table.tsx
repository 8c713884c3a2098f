import Link from "next/link";
import { objectHref } from "#components/shell/hrefs.ts";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ObjectPage } from "#lib/contract/objects/custom-object.ts";

interface ObjectTableProps {
  cluster: string;
  crd: CrdDetail;
  /** The version that links open an object at; the page may still show the previous version while this one loads. */
  version: string;
  page: ObjectPage;
}

/** Objects as `kubectl get` prints them at a version. */
export function ObjectTable({ cluster, crd, version, page }: ObjectTableProps) {
  const namespaced = crd.scope === "Namespaced";
  const columns = [
    ...(namespaced ? [{ name: "Namespace" }] : []),
    { name: "Name" },
    ...page.columns.map(({ name, type, description }) => ({ name, hint: description, numeric: type === "integer" || type === "number" })),
  ];
  return (
    <DataTable label="Objects" columns={columns}>
      {page.rows.map((row) => (
        <tr key={`${row.namespace}/${row.name}`}>
          {namespaced ? <DataCell className="whitespace-nowrap text-ink-soft">{row.namespace}</DataCell> : null}
          <th scope="row" className="max-w-md min-w-56 px-2 text-left font-normal first:pl-0">
            <Link
              href={objectHref(cluster, crd.name, row, version)}
              prefetch={false}
              className="font-mono underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink"
            >
              {row.name}
            </Link>
          </th>
          {page.columns.map(({ name, type }, index) => (
            <DataCell key={name} numeric={type === "integer" || type === "number"} className="max-w-96 truncate">
              <span dir="auto">{row.cells[index] || "–"}</span>
            </DataCell>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
