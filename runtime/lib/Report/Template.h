// SPDX-License-Identifier: Apache-2.0
//
// A small template language, so that the page is a readable file of HTML:
// {{name}} is replaced by a value, and what is between {{#name}} and {{/name}}
// stays only if that value is not empty.

#ifndef RING_RUNTIME_REPORT_TEMPLATE_H
#define RING_RUNTIME_REPORT_TEMPLATE_H

#include <map>
#include <string>

namespace ring::rt {

using TemplateValues = std::map<std::string, std::string>;

/// The template with its values. Values go in as they are; one that is not
/// given is empty.
std::string fillTemplate(const std::string &text, const TemplateValues &values);

/// Text as HTML shows it, safe within attributes too.
std::string escapedHtml(const std::string &text);

} // namespace ring::rt

#endif // RING_RUNTIME_REPORT_TEMPLATE_H
