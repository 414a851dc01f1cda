// Words on the screen that stand out from what lies behind them by less than `least` to 1, each with its contrast.
(least) => {
  const parsed = (text) => {
    const found = text.match(/^(rgba?|color)\((?:srgb )?([^)]+)\)$/);
    if (!found) return null;
    const parts = found[2].split(/[ ,/]+/).map(Number);
    const scale = found[1] === "color" ? 255 : 1;
    return { rgb: parts.slice(0, 3).map((part) => part * scale), alpha: parts.length > 3 ? parts[3] : 1 };
  };
  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = (rgb) => 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  const over = (top, rgb) => top.rgb.map((part, place) => part * top.alpha + rgb[place] * (1 - top.alpha));
  const opacity = (element) => {
    let found = 1;
    for (let own = element; own; own = own.parentElement) found *= parseFloat(getComputedStyle(own).opacity);
    return found;
  };
  const isShape = (element) => element.ownerSVGElement && ["path", "rect", "circle"].includes(element.tagName);
  const paint = (element) => {
    const style = getComputedStyle(element);
    const colour = parsed(isShape(element) ? style.fill : element.ownerSVGElement ? "" : style.backgroundColor);
    return colour && { rgb: colour.rgb, alpha: colour.alpha * opacity(element) };
  };
  const behind = (element, x, y) => {
    const layers = [];
    for (const own of document.elementsFromPoint(x, y)) {
      const layer = own === element && own.ownerSVGElement ? null : paint(own);
      if (layer && layer.alpha > 0) layers.unshift(layer);
      if (layer && layer.alpha > 0.999) break;
    }
    return layers.reduce((rgb, layer) => over(layer, rgb), [255, 255, 255]);
  };
  const found = {};
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element || element.closest("script, style, :disabled, [aria-disabled=true]")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const top = document.elementFromPoint(x, y);
    const inSvg = element.closest("svg") !== null;
    // Words that nobody sees: hidden, covered, outside the window, or shown only while the mouse is over them.
    if (box.width < 2 || !top || opacity(element) < 0.05) continue;
    if (!inSvg && !element.contains(top) && !top.contains(element)) continue;
    const style = getComputedStyle(element);
    const ink = parsed(inSvg ? style.fill : style.color);
    if (!ink || style.visibility === "hidden") continue;
    const ground = behind(element, x, y);
    const alpha = ink.alpha * opacity(element) * (inSvg ? parseFloat(style.fillOpacity) : 1);
    const lights = [luminance(over({ rgb: ink.rgb, alpha }, ground)), luminance(ground)].sort((a, b) => b - a);
    const contrast = (lights[0] + 0.05) / (lights[1] + 0.05);
    if (contrast < least) found[text.slice(0, 60)] = Math.round(100 * contrast) / 100;
  }
  return found;
}
