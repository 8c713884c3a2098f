import { OneClickButton } from "#components/shared/change-button.tsx";
import { putBackConversion } from "#lib/queries/definition/definition-mutations.ts";

/** Puts a dropped conversion webhook back. */
export function PutBackWebhookButton({ cluster, crd, disabled = false }: { cluster: string; crd: string; disabled?: boolean }) {
  return (
    <OneClickButton
      mutation={putBackConversion(cluster, crd)}
      variables={undefined}
      action="change-spec"
      label="Put the webhook back"
      disabled={disabled}
      pendingLabel="Putting back…"
      failure="Couldn't put the webhook back"
    />
  );
}
