/* SPDX-License-Identifier: MIT */
// The switch between light and dark.
"use strict";

(function () {
  const page = document.documentElement;
  document.getElementById("theme").addEventListener("click", function () {
    const systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = page.dataset.theme ? page.dataset.theme === "dark" : systemIsDark;
    page.dataset.theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem("theme", page.dataset.theme);
    } catch (error) {
      // Without storage the choice lasts as long as the page.
    }
  });
})();

