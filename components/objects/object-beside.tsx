"use client";

import { useQuery } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { customObjectQuery } from "#lib/queries/objects/object-queries.ts";
import { RowsSkeleton } from "./rows-skeleton.tsx";
import { SideBySide } from "./side-by-side.tsx";

interface ObjectBesideProps {
  cluster: string;
  crd: string;
  shown: CustomObject;
  /** The second version to show it at. */
  beside: string;
  onReadAgain: () => void;
}

/** The object at the shown version and at another one. */
export function ObjectBeside({ cluster, crd, shown, beside, onReadAgain }: ObjectBesideProps) {
  const { data, error, isFetching, refetch } = useQuery(customObjectQuery(cluster, crd, shown, beside));
  if (error) {
    return (
      <ApiErrorNotice error={error}>
        <Button onClick={() => refetch()} disabled={isFetching}>
          {isFetching ? "Trying…" : "Try again"}
        </Button>
      </ApiErrorNotice>
    );
  }
  if (!data) return <RowsSkeleton />;
  const readBoth = () => {
    onReadAgain();
    void refetch();
  };
  return (
    <div className="flex flex-col gap-3">
      {data.resourceVersion === shown.resourceVersion ? null : (
        <Notice tone="warning" title="The object changed between the two reads">
          <p>Some differences may not come from the conversion.</p>
          <Button onClick={readBoth} disabled={isFetching}>
            Read both again
          </Button>
        </Notice>
      )}
      <SideBySide left={shown} right={data} />
    </div>
  );
}
