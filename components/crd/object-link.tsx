import { clsx } from "clsx";
import Link from "next/link";
import { objectHref } from "#components/shell/hrefs.ts";
import { objectName } from "./object-name.ts";

interface Props {
  cluster: string;
  crd: string;
  object: { namespace: string; name: string };
  /** The version that it is shown at; the storage version when left out. */
  version?: string;
  className?: string;
}

/** An object's name, which leads to its page. */
export function ObjectLink({ cluster, crd, object, version, className }: Props) {
  return (
    <Link
      href={objectHref(cluster, crd, object, version)}
      prefetch={false}
      className={clsx(
        "font-mono underline decoration-line-strong underline-offset-2 [overflow-wrap:anywhere] hover:decoration-ink",
        className,
      )}
    >
      {objectName(object)}
    </Link>
  );
}
