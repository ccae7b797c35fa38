// What Streamlit's own elements lack for people who use a keyboard or a screen reader.
if (!window.makesReachable) {
  window.makesReachable = true;
  const all = (selector, change) => document.querySelectorAll(selector).forEach(change);
  const change = () => {
    // headings of sections stand between the items, which no list may have
    all('[data-testid="stSidebarNavItems"]', list => list.setAttribute("role", "group"));
    all('[data-testid="stSidebarNavItems"] li', item => item.setAttribute("role", "none"));
    // a box that scrolls is scrolled by keys only where it can be focused
    all('pre', box => { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; });
    all('[class*="st-key-chart_box_"]', box => {
      if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.ariaLabel = "Chart";
    });
  };
  let due = 0;
  const soon = () => { due ||= setTimeout(() => { due = 0; change(); }, 100); };
  new MutationObserver(soon).observe(document.body, {childList: true, subtree: true});
  change();
}
