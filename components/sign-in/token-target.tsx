/** Says of which cluster the token has to be: one that is given to another has been given away. */
export function TokenTarget({ cluster }: { cluster: string | null }) {
  if (cluster === null) return null;
  return (
    <p className="[overflow-wrap:anywhere]">
      {cluster === "in-cluster" ? (
        "Sign in to the cluster that this crdshift runs in, with a token of it."
      ) : (
        <>
          Sign in to <span className="font-mono text-xs text-ink">{cluster}</span>, with a token of that cluster.
        </>
      )}
    </p>
  );
}
