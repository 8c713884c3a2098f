"use client";

import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Check, CircleUserRound, LogOut } from "lucide-react";
import Link from "next/link";
import { useTheme } from "next-themes";
import { type ReactNode, useRef } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { MessageDialog } from "#components/ui/dialog.tsx";
import { menuItemClass, menuLabelClass, menuPopupClass } from "#components/ui/menu-class.ts";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { serviceAccountOf } from "#lib/domain/audit/known-user.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { signOut } from "#lib/queries/session/sign-in.ts";

/** The header of every page. */
export function Header({
  clusterSwitcher,
  pageLinks,
  liveness,
}: {
  clusterSwitcher?: ReactNode;
  pageLinks?: ReactNode;
  liveness?: ReactNode;
}) {
  return (
    <>
      <header className="sticky top-0 z-30 border-b border-line bg-page print:hidden">
        <a href="#main" className="absolute -top-12 left-4 z-40 rounded bg-ink px-3 py-1.5 text-sm text-page focus:top-1.5">
          Skip to content
        </a>
        <div className="mx-auto flex h-12 max-w-[1600px] items-center gap-3 px-4 sm:px-6">
          <Link href="/" className="text-[15px] font-semibold tracking-tight">
            crdshift
          </Link>
          {clusterSwitcher}
          {pageLinks}
          <div className="ml-auto flex items-center gap-2">
            {liveness}
            <SessionMenu />
          </div>
        </div>
      </header>
      <ModeBanner />
    </>
  );
}

/** The read-only banner, which also says if an account is shared. */
function ModeBanner() {
  const session = useSession();
  if (!session?.readOnly) return null;
  const isShared = session.mode === "unsafe-shared-readonly";
  return (
    <aside
      aria-label="Read only"
      className={clsx("border-b text-sm print:hidden", isShared ? "border-warning bg-warning-wash" : "border-line bg-sunken text-ink-soft")}
    >
      <p className="mx-auto max-w-[1600px] px-4 py-1.5 sm:px-6">
        {isShared
          ? "Read only. Everyone who can reach this address uses one shared account."
          : "Read only. You can't change anything here."}
      </p>
    </aside>
  );
}

/** The account menu: theme, current user and sign-out. */
function SessionMenu() {
  const session = useSession();
  const { mutate, error, reset } = useMutation(signOut());
  const landmark = useRef<HTMLDivElement>(null);
  return (
    <>
      <Menu.Root>
        {/* Render the menu here, not at the end of the body, since all content belongs to a landmark. */}
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
              {/* Last, to avoid a layout shift when the session loads. */}
              {session ? <AccountItems session={session} onSignOut={() => mutate()} /> : null}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <MessageDialog title="Couldn't sign you out" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}

const themes = [
  { value: "light", word: "Light" },
  { value: "dark", word: "Dark" },
  { value: "system", word: "System" },
];

/** The theme items of the menu. */
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

/** The account items of the menu: the user, the session's end, and sign-out for a session started in a browser. */
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
    ? "Your rewrites continue until your token expires. To stop them, cancel them first."
    : "Rewrites continue. To stop them, cancel them first.";
}

/** A short name for the current account. */
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
