// Copies the address of the link to fixed days. Without this script, or without a clipboard, the link leads there.
"use strict";

const link = document.getElementById("fixed-days");
const state = document.getElementById("fixed-days-state");

// Browsers have a clipboard on pages of https and of this machine only.
if (link !== null && navigator.clipboard !== undefined) {
    link.textContent = "Copy link to these days";
    link.addEventListener("click", async (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) { return; }
        event.preventDefault();
        try {
            await navigator.clipboard.writeText(link.href);
            state.textContent = "Copied.";
        } catch {
            location.assign(link.href);
        }
    });
}
