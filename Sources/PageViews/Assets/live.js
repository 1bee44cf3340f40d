// Adds events to the table as they come. Texts are set as text, never as markup.
"use strict";

const state = document.getElementById("state");
const button = document.getElementById("pause");
const body = document.querySelector("#events tbody");
const names = ["written_at", "event", "environment", "ad_network_id", "version", "campaign", "advertised_app_id",
    "sequence_index", "value", "transaction_id"];
let source = null;

// Where the cells of an event lead, as on the page without a script: the path, and its parameters by the names of members.
const links = {
    ad_network_id: ["/", { environment: "environment", network: "ad_network_id" }],
    advertised_app_id: ["/", { environment: "environment", app: "advertised_app_id" }],
    campaign: ["/campaign",
        { environment: "environment", network: "ad_network_id", app: "advertised_app_id", campaign: "campaign" }],
};
const currency = new URLSearchParams(location.search).get("currency");

function link(event, name) {
    const [path, members] = links[name];
    const query = new URLSearchParams();
    for (const [parameter, member] of Object.entries(members)) {
        if (event[member] !== null) { query.set(parameter, event[member]); }
    }
    if (currency) { query.set("currency", currency); }
    const anchor = document.createElement("a");
    anchor.href = path + "?" + query;
    anchor.textContent = event[name];
    return anchor;
}

function add(event) {
    const row = document.createElement("tr");
    for (const name of names) {
        const cell = document.createElement(name === "written_at" ? "th" : "td");
        if (name === "written_at") { cell.scope = "row"; }
        if (links[name] && event.counted !== null && event[name] !== null) {
            cell.append(link(event, name));
        } else {
            cell.textContent = event[name] === null ? "–" : event[name];
        }
        row.append(cell);
    }
    body.prepend(row);
    while (body.rows.length > 100) { body.lastElementChild.remove(); }
}

function start() {
    source = new EventSource("/live/events");
    source.onopen = () => { state.textContent = "Live."; };
    source.onerror = () => { state.textContent = "The connection is lost. The browser tries again."; };
    source.addEventListener("postback", (message) => add(JSON.parse(message.data)));
    source.addEventListener("begin", () => body.replaceChildren());
    button.textContent = "Pause";
}

button.addEventListener("click", () => {
    if (source === null) { return start(); }
    source.close();
    source = null;
    state.textContent = "Paused.";
    button.textContent = "Go on";
});
button.hidden = false;
start();
