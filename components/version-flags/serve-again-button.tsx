import { OneClickButton } from "#components/shared/change-button.tsx";
import { changeVersion } from "#lib/queries/definition/definition-mutations.ts";

interface Props {
  cluster: string;
  crd: string;
  version: string;
  disabled?: boolean;
  hint?: string;
}

/** Serves a version that is no longer served. */
export function ServeAgainButton({ cluster, crd, version, ...props }: Props) {
  const label = `Serve ${version} again`;
  return (
    <OneClickButton
      {...props}
      mutation={changeVersion(cluster, crd, version, label)}
      variables={{ served: true }}
      action="change-spec"
      label={label}
      pendingLabel="Serving…"
      failure={`Couldn't serve ${version} again`}
    />
  );
}
