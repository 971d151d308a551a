// Light or dark: as the system says, unless the reader chose; runs before the page is painted.
"use strict";
(function () {
    const root = document.documentElement;
    function stored() {
        try {
            return localStorage.getItem("percuss-theme");
        } catch (error) { // a browser may refuse storage to pages from the disk
            return null;
        }
    }
    function system() {
        return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    }
    root.dataset.theme = stored() || system();
    document.addEventListener("DOMContentLoaded", function () {
        document.getElementById("ui-theme").addEventListener("click", function () {
            root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
            try {
                localStorage.setItem("percuss-theme", root.dataset.theme);
            } catch (error) {
                // the choice lasts for this page
            }
        });
    });
})();
