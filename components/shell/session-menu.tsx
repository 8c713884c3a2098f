"use client";

import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@tanstack/react-query";
import { Check, CircleUserRound, LogOut } from "lucide-react";
import { useTheme } from "next-themes";
import { useRef } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { menuItemClass, menuLabelClass, menuPopupClass } from "#components/ui/menu-class.ts";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { serviceAccountOf } from "#lib/domain/record/known-user.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { signOut } from "#lib/queries/session/sign-in-mutations.ts";

/** Who one is here, the way out, and the theme. */
export function SessionMenu() {
  const session = useSession();
  const { mutate, error, reset } = useMutation(signOut());
  const landmark = useRef<HTMLDivElement>(null);
  return (
    <>
      <Menu.Root>
        {/* The menu is rendered here, not at the end of the body: all content belongs to a landmark. */}
        <div ref={landmark} className="absolute" />
        <Menu.Trigger
          aria-label="Account and theme"
          title={session ? accountName(session) : undefined}
          className="inline-flex size-8 items-center justify-center rounded text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <CircleUserRound size={16} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal container={landmark}>
          <Menu.Positioner sideOffset={4} align="end" className="z-50">
            <Menu.Popup className={`${menuPopupClass} w-[min(18rem,calc(100vw-2rem))]`}>
              <ThemeItems />
              {/* Last, so that nothing moves once it is known. */}
              {session ? <AccountItems session={session} onSignOut={() => mutate()} /> : null}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <MessageDialog title="You were not signed out" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}

const themes = [
  { value: "light", word: "Light" },
  { value: "dark", word: "Dark" },
  { value: "system", word: "As the system" },
];

/** Light, dark, or as the system: items of a menu. */
function ThemeItems() {
  const { theme, setTheme } = useTheme();
  return (
    <Menu.RadioGroup value={theme ?? "system"} onValueChange={setTheme}>
      <Menu.GroupLabel className={menuLabelClass}>Theme</Menu.GroupLabel>
      {themes.map(({ value, word }) => (
        <Menu.RadioItem key={value} value={value} closeOnClick className={menuItemClass}>
          <span className="size-4">
            <Menu.RadioItemIndicator>
              <Check size={14} aria-hidden />
            </Menu.RadioItemIndicator>
          </span>
          {word}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

/** Who one is here and until when, and the way out of a session that a browser began: items of a menu. */
function AccountItems({ session, onSignOut }: { session: SessionInfo; onSignOut: () => void }) {
  const account = session.user === null ? null : serviceAccountOf(session.user);
  return (
    <Menu.Group className="mt-1 border-t border-line pt-1">
      <Menu.GroupLabel title={session.user ?? undefined} className={menuLabelClass}>
        <span dir="auto" className="block text-sm text-ink [overflow-wrap:anywhere]">
          {account?.name ?? accountName(session)}
        </span>
        {account ? <span className="block [overflow-wrap:anywhere]">service account in namespace {account.namespace}</span> : null}
        {session.until ? (
          <span>
            until <Time at={session.until} />
          </span>
        ) : null}
      </Menu.GroupLabel>
      {session.until ? (
        <Menu.Item onClick={onSignOut} className={menuItemClass}>
          <LogOut size={14} aria-hidden className="mx-px shrink-0 translate-y-0.5 self-start" />
          <span>
            Sign out
            <span className="block text-xs text-ink-soft">{afterSignOut(session)}</span>
          </span>
        </Menu.Item>
      ) : null}
    </Menu.Group>
  );
}

function afterSignOut({ mode }: SessionInfo): string {
  return mode === "token"
    ? "Rewrites that you started go on with your token until it ends; cancel them first if they shall not."
    : "Rewrites go on; cancel them first if they shall not.";
}

/** Who one is here, in a few words. */
export function accountName({ mode, signedIn, user }: Pick<SessionInfo, "mode" | "signedIn" | "user">): string {
  if (!signedIn) return "Not signed in";
  switch (mode) {
    case "token":
      return user ?? "Signed in with a token";
    case "local":
      return "Local session";
    case "unsafe-shared-readonly":
      return "Shared account, read only";
    default:
      return mode satisfies never;
  }
}
