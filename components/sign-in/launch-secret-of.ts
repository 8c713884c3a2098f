/** The secret in the fragment of a launch link; null without one. */
export function launchSecretOf(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, "")).get("launch") || null;
}
