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
  /** The version to show it at as well. */
  beside: string;
  onReadAgain: () => void;
}

/** The object that is shown, and what it is at another version. */
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
        <Notice tone="warning" title="The object was written between the two reads">
          <p>So not all that differs comes from the conversion.</p>
          <Button onClick={readBoth} disabled={isFetching}>
            Read both again
          </Button>
        </Notice>
      )}
      <SideBySide left={shown} right={data} />
    </div>
  );
}
