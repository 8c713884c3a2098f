"use client";

import { Menu } from "@base-ui/react/menu";
import { Check, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useRef } from "react";
import { menuItemClass, menuPopupClass } from "#components/ui/menu-class.ts";

const themes = [
  { value: "light", word: "Light" },
  { value: "dark", word: "Dark" },
  { value: "system", word: "As the system" },
];

/** Light, dark, or as the system. */
export function ThemeMenu() {
  const { theme, setTheme } = useTheme();
  const landmark = useRef<HTMLDivElement>(null);
  return (
    <Menu.Root>
      {/* The menu is rendered here, not at the end of the body: all content belongs to a landmark. */}
      <div ref={landmark} className="absolute" />
      <Menu.Trigger
        aria-label="Theme"
        className="inline-flex size-8 items-center justify-center rounded text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <Sun size={16} aria-hidden className="dark:hidden" />
        <Moon size={16} aria-hidden className="hidden dark:block" />
      </Menu.Trigger>
      <Menu.Portal container={landmark}>
        <Menu.Positioner sideOffset={4} align="end" className="z-50">
          <Menu.Popup className={menuPopupClass}>
            <Menu.RadioGroup value={theme ?? "system"} onValueChange={setTheme}>
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
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
