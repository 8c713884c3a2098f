import { decodedParams } from "#app/decoded-params.ts";
import { DefinitionScope } from "#components/shared/breadcrumbs.tsx";

export default async function DefinitionLayout({ children, params }: LayoutProps<"/clusters/[cluster]/crds/[crd]">) {
  const { cluster, crd } = await decodedParams(params);
  return (
    <DefinitionScope cluster={cluster} crd={crd}>
      {children}
    </DefinitionScope>
  );
}
