"use client";

import Link from "next/link";
import { type ObjectViewQuery, objectHref } from "#components/hrefs.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";

interface Props {
  cluster: string;
  crd: string;
  object: { namespace: string; name: string };
  view?: ObjectViewQuery;
}

/** An object's name, linked to its page. */
export function ObjectLink({ cluster, crd, object, view }: Props) {
  return (
    <Link
      href={objectHref(cluster, crd, object, view)}
      prefetch={false}
      className="font-mono underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink"
    >
      {fullName(object)}
    </Link>
  );
}
